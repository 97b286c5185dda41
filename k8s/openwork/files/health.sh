#!/bin/sh
# How nats-server is, and whether a restart would help it: Compose's health check and Kubernetes' liveness probe.
#
# A stream whose disk was full stores nothing more, answers no publisher, and stays so with space again, until the server
# is restarted (2.15.1; SIGHUP does not help). A node of a cluster turns JetStream off instead. What was acknowledged is kept.
#
#   sh health.sh [folder of JetStream: /data] [port of the monitor: 8222] [KiB that must be free: 32768]
#   0 = it is well   1 = takes no clients   3 = only a restart helps   4 = the disk is full, and a restart would not help
folder=${1:-/data} port=${2:-8222} room_kib=${3:-32768}

# nc, since busybox' wget drops the body of a 503.
ask() { printf 'GET /healthz?%s HTTP/1.0\r\n\r\n' "$1" | nc -w 4 127.0.0.1 "$port"; }

case $(ask js-server-only=true) in
    *'"status":"ok"'*) ;;
    *) echo "nats-server does not answer, or takes no clients yet"; exit 1 ;;
esac
case $(ask details=true) in
    *'no space left'*) trouble="a stream stores nothing more since its disk was full" ;;
    *'JetStream not enabled'*) trouble="JetStream is off" ;;
    *) exit 0 ;;
esac
free_kib=$(df -Pk "$folder" | awk 'NR == 2 { print $4 }')
if [ "$free_kib" -lt "$room_kib" ]; then
    echo "the disk under $folder is full ($free_kib KiB free): $trouble; make room"
    exit 4
fi
echo "$trouble; there is space under $folder ($free_kib KiB free): nats-server must be restarted"
exit 3
