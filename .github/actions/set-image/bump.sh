#!/usr/bin/env bash
# Writes versions to Git: `set-image`, `set-version` or `promote`, as UCP_COMMAND says. Inputs are INPUT_* in the environment,
# and reach kubectl-ucp as quoted arguments.
set -euo pipefail

# What is printed from here on may quote file names and servers: it is text, and no command to the runner.
exec 2>&1
token="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
echo "::stop-commands::$token"
plan="$(mktemp)"
trap 'rm -f "$plan"; echo "::$token::"' EXIT

command="${UCP_COMMAND:-set-image}"
# Splits at blanks and line ends, and expands nothing.
IFS=$' \t\r\n' read -r -d '' -a words <<<"${INPUT_IMAGES:-${INPUT_VERSIONS:-${INPUT_SERVICES:-}}}" || true

arguments=("$command" --yes --output json "--directory=${INPUT_REPOSITORY:-.}")
is() { # NAME VALUE
  case "$2" in
    true) return 0 ;;
    false | '') return 1 ;;
    *) echo "error: $1 is true or false, not '$2'"; exit 2 ;;
  esac
}
if is pr "${INPUT_PR:-}"; then arguments+=(--pr)
elif is push "${INPUT_PUSH:-true}"; then arguments+=(--push)
else arguments+=(--commit)
fi
if is allow-downgrade "${INPUT_ALLOW_DOWNGRADE:-}"; then arguments+=(--allow-downgrade); fi
case "$command" in
  promote)
    places=("$INPUT_FROM" "$INPUT_TO")
    if is all "${INPUT_ALL:-}"; then arguments+=(--all); fi
    if is verify "${INPUT_VERIFY:-}"; then arguments+=(--verify); fi
    [ -z "${INPUT_SOAK:-}" ] || arguments+=("--soak=$INPUT_SOAK") ;;
  # A version that is found in one place only needs no environment.
  set-version) places=(${INPUT_ENVIRONMENT:+"$INPUT_ENVIRONMENT"}) ;;
  *) places=("$INPUT_ENVIRONMENT") ;;
esac
[ -z "${INPUT_BRANCH:-}" ] || arguments+=("--branch=$INPUT_BRANCH")
[ -z "${INPUT_MESSAGE:-}" ] || arguments+=("--message=$INPUT_MESSAGE")

# Runners have no identity of their own.
if [ -z "${GIT_COMMITTER_EMAIL:-}" ] && ! git -C "${INPUT_REPOSITORY:-.}" config user.email >/dev/null; then
  export GIT_AUTHOR_NAME="github-actions[bot]" GIT_COMMITTER_NAME="github-actions[bot]"
  export GIT_AUTHOR_EMAIL="41898282+github-actions[bot]@users.noreply.github.com"
  export GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"
fi

code=0
kubectl-ucp "${arguments[@]}" -- ${places[@]+"${places[@]}"} ${words[@]+"${words[@]}"} > "$plan" || code=$?
[ -s "$plan" ] || exit "$code"

jq --raw-output '
  "changed=\(.commit != null)", "commit=\(.commit // "")", "branch=\(.pushed // "")", "pull-request=\(.pullRequest // "")"
' "$plan" >> "$GITHUB_OUTPUT"
jq --raw-output '
  def cell: gsub("[|\\r\\n]"; " ");
  def row: "| \(map(. // "" | cell) | join(" | ")) |";
  if .changes + .refused == [] then "Every version is already set." else
    "| Service | Image | Before | After |", "|---|---|---|---|",
    (.changes[] | [.service, .image, .before, .after] | row),
    (.refused[] | [.service, .image, "refused", ([.reason, .help // empty] | join("; "))] | row)
  end,
  (select(.commit) | "\nCommit `\(.commit)`\(if .pushed then " on `\(.pushed)`" else "" end)"),
  (select(.pullRequest) | "\n\(.pullRequest)")
' "$plan" | tee -a "$GITHUB_STEP_SUMMARY"
exit "$code"
