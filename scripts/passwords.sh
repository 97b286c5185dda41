#!/bin/bash
# Random passwords for the NATS users, once: into .env for Compose, or as Kubernetes Secrets on standard output.
# usage: scripts/passwords.sh env                            adds what is missing to .env
#        scripts/passwords.sh kubernetes | kubectl apply -f -     one Secret per user; never to a file in the repository
set -euo pipefail
cd "$(dirname "$0")/.."
# made: users
users="gateway query retrievers normaliser reranker fulltext gap synthesiser verifier topology operator local api sys"
# end: users

# 40 hexadecimal digits behind a letter: NATS would read a password that begins with a digit as a number.
random() { printf 'p%s' "$(od -An -N20 -tx1 /dev/urandom | tr -d ' \n')"; }

case ${1:-} in
  env)
    umask 077
    touch .env
    for user in $users; do
      name=OPENWORK_NATS_PASSWORD_$(echo "$user" | tr a-z A-Z)
      grep -q "^$name=" .env || echo "$name=$(random)" >>.env
    done
    echo "the passwords are in .env (git does not track it)" ;;
  kubernetes)
    for user in $users; do
      printf -- '---\napiVersion: v1\nkind: Secret\nmetadata: {name: openwork-nats-%s, namespace: openwork}\nstringData: {password: %s}\n' "$user" "$(random)"
    done
    printf -- '---\napiVersion: v1\nkind: Secret\nmetadata: {name: openwork-phoenix, namespace: openwork}\nstringData:\n'
    for key in postgres-password secret admin-secret admin-password; do printf '  %s: %s\n' "$key" "$(random)"; done ;;
  *) sed -n 2,4p "$0"; exit 2 ;;
esac
