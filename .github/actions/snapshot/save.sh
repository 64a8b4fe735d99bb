#!/usr/bin/env bash
# Saves a snapshot. Inputs are INPUT_* in the environment, and reach kubectl-ucp as quoted arguments. An incomplete snapshot
# is one, with a warning: its index lists what is missing.
set -euo pipefail

# Output may quote names from the cluster: it is text, and no command to the runner.
exec 2>&1
token="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
echo "::stop-commands::$token"
trap 'echo "::$token::"' EXIT

arguments=(snapshot --overwrite)
case "${INPUT_APP_CLUSTERS:-}" in
  true) arguments+=(--app-clusters) ;;
  false | '') ;;
  *) echo "error: app-clusters is true or false, not '$INPUT_APP_CLUSTERS'"; exit 2 ;;
esac
code=0
kubectl-ucp "${arguments[@]}" -- "$INPUT_FILE" || code=$?
{ echo "code=$code"; echo "file=${INPUT_FILE//[$'\r\n']/}"; } >> "$GITHUB_OUTPUT"
[ "$code" -eq 4 ] || exit "$code"
