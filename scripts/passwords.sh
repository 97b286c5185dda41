#!/bin/bash
# Random passwords for the NATS users, each made once: into .env for Compose, or as Kubernetes Secrets on standard output.
# What is there already is kept: another password would lock out what runs.
# usage: scripts/passwords.sh env                                  adds what is missing to .env
#        scripts/passwords.sh kubernetes | kubectl apply -f -      the Secrets that the cluster of kubectl lacks
#        scripts/passwords.sh new                                  all Secrets, without asking a cluster; for a new one only
#        scripts/passwords.sh rotate env USER...                   other passwords for these users in .env (all = everybody)
#        scripts/passwords.sh rotate kubernetes USER... | kubectl apply -f -
#                                      then NATS and those services start again: docs/deployment-kubernetes.md, Rotate
# NAMESPACE=openwork is where the Secrets are.
# Secrets are never written to a file in the repository.
set -euo pipefail
cd "$(dirname "$0")/.."
# made: users
users="gateway query retrievers normaliser reranker screener extractor appraiser fulltext gap synthesiser verifier topology operator backup restore apibackup apirestore local api sys"
# end: users

# 40 hexadecimal digits behind a letter: NATS would read a password that begins with a digit as a number.
namespace=${NAMESPACE:-openwork}
random() { printf 'p%s' "$(od -An -N20 -tx1 /dev/urandom | tr -d ' \n')"; }

user_secret() {
  printf -- '---\napiVersion: v1\nkind: Secret\nmetadata: {name: openwork-nats-%s, namespace: %s}\nstringData: {password: %s}\n' "$1" "$namespace" "$(random)"
}

# The users that are named, each one that there is; `all` = every one.
chosen() {
  [ $# -gt 0 ] || { echo "whose? one or more of: all $users" >&2; return 2; }
  [ "$*" = all ] && { echo "$users"; return; }
  local user
  for user in "$@"; do
    case " $users " in *" $user "*) ;; *) echo "$user is no user; there are: $users" >&2; return 2 ;; esac
  done
  echo "$*"
}

rotate_env() {
  local user name scratch
  [ -f .env ] || { echo "there is no .env: scripts/passwords.sh env makes one" >&2; return 1; }
  umask 077
  scratch=$(mktemp .env.XXXXXX)
  cp .env "$scratch"
  for user in "$@"; do
    name=OPENWORK_NATS_PASSWORD_$(echo "$user" | tr a-z A-Z)
    grep -v "^$name=" "$scratch" >"$scratch.new" || true
    echo "$name=$(random)" >>"$scratch.new"
    mv "$scratch.new" "$scratch"
  done
  mv "$scratch" .env
  echo "other passwords are in .env for: $*; NATS and the services take them when they are started again: make up"
}

# The Secrets, but for those whose names are given.
secrets() {
  local there=" $* " missing=0 user
  lacks() { case $there in *" $1 "*) return 1 ;; *) missing=$((missing + 1)) ;; esac; }
  for user in $users; do
    lacks "openwork-nats-$user" || continue
    user_secret "$user"
  done
  # No password: where `openwork accounts add --target kubernetes` writes accounts. NATS does not start without it.
  if lacks openwork-nats-askers; then
    printf -- '---\napiVersion: v1\nkind: Secret\nmetadata: {name: openwork-nats-askers, namespace: %s}\nstringData: {askers.conf: ""}\n' "$namespace"
  fi
  if lacks openwork-phoenix; then
    # Phoenix takes its administrator's secret as a key of its interface: with it the services send their traces.
    admin=$(random)
    printf -- '---\napiVersion: v1\nkind: Secret\nmetadata: {name: openwork-phoenix-client, namespace: %s}\nstringData: {headers: "authorization=Bearer %s"}\n' "$namespace" "$admin"
    printf -- '---\napiVersion: v1\nkind: Secret\nmetadata: {name: openwork-phoenix, namespace: %s}\nstringData:\n' "$namespace"
    # The names that Phoenix' own chart wants (k8s/phoenix-values.yaml).
    printf '  PHOENIX_ADMIN_SECRET: %s\n' "$admin"
    for key in PHOENIX_SECRET PHOENIX_POSTGRES_PASSWORD PHOENIX_SMTP_PASSWORD PHOENIX_DEFAULT_ADMIN_INITIAL_PASSWORD; do printf '  %s: %s\n' "$key" "$(random)"; done
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
    if ! there=$(kubectl -n "$namespace" get secrets -o name); then
      echo "the cluster does not say which Secrets it has: nothing was made (for a new cluster: scripts/passwords.sh new)" >&2
      exit 1
    fi
    # shellcheck disable=SC2086
    secrets ${there//secret\//} ;;
  new) secrets ;;
  rotate)
    where=${2:-}
    case $where in env | kubernetes) ;; *) sed -n 2,11p "$0" >&2; exit 2 ;; esac
    shift 2
    named=$(chosen "$@") || exit 2
    # shellcheck disable=SC2086
    if [ "$where" = env ]; then rotate_env $named; else for user in $named; do user_secret "$user"; done; fi ;;
  *) sed -n 2,11p "$0"; exit 2 ;;
esac
