#!/bin/bash
# Random passwords for the NATS users, each made once: into .env for Compose, or as Kubernetes Secrets on standard output.
# What is there already is kept: another password would lock out what runs.
# usage: scripts/passwords.sh env                                  adds what is missing to .env
#        scripts/passwords.sh kubernetes | kubectl apply -f -      the Secrets that the cluster of kubectl lacks
#        scripts/passwords.sh new                                  all Secrets, without asking a cluster; for a new one only
# Secrets are never written to a file in the repository.
set -euo pipefail
cd "$(dirname "$0")/.."
# made: users
users="gateway query retrievers normaliser reranker fulltext gap synthesiser verifier topology operator local api sys"
# end: users

# 40 hexadecimal digits behind a letter: NATS would read a password that begins with a digit as a number.
random() { printf 'p%s' "$(od -An -N20 -tx1 /dev/urandom | tr -d ' \n')"; }

# The Secrets, but for those whose names are given.
secrets() {
  local there=" $* " missing=0 user
  lacks() { case $there in *" $1 "*) return 1 ;; *) missing=$((missing + 1)) ;; esac; }
  for user in $users; do
    lacks "openwork-nats-$user" || continue
    printf -- '---\napiVersion: v1\nkind: Secret\nmetadata: {name: openwork-nats-%s, namespace: openwork}\nstringData: {password: %s}\n' "$user" "$(random)"
  done
  # No password: where `openwork accounts add --target kubernetes` writes accounts. NATS does not start without it.
  if lacks openwork-nats-askers; then
    printf -- '---\napiVersion: v1\nkind: Secret\nmetadata: {name: openwork-nats-askers, namespace: openwork}\nstringData: {askers.conf: ""}\n'
  fi
  if lacks openwork-phoenix; then
    printf -- '---\napiVersion: v1\nkind: Secret\nmetadata: {name: openwork-phoenix, namespace: openwork}\nstringData:\n'
    for key in postgres-password secret admin-secret admin-password; do printf '  %s: %s\n' "$key" "$(random)"; done
  fi
  [ $missing -gt 0 ] || echo "every Secret is there; there is nothing to apply" >&2
}

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
    if ! there=$(kubectl -n openwork get secrets -o name); then
      echo "the cluster does not say which Secrets it has: nothing was made (for a new cluster: scripts/passwords.sh new)" >&2
      exit 1
    fi
    # shellcheck disable=SC2086
    secrets ${there//secret\//} ;;
  new) secrets ;;
  *) sed -n 2,7p "$0"; exit 2 ;;
esac
