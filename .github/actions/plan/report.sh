#!/usr/bin/env bash
# Runs `plan` or `doctor`, as UCP_COMMAND says, and puts the report into the job's summary and, for a pull request, into one
# comment that later runs update. Inputs are INPUT_* in the environment, and reach kubectl-ucp as quoted arguments.
set -euo pipefail

# Output may quote file names and the cluster: it is text, and no command to the runner.
exec 2>&1
token="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
echo "::stop-commands::$token"
trap 'echo "::$token::"' EXIT

is() { # NAME VALUE
  case "$2" in
    true) return 0 ;;
    false | '') return 1 ;;
    *) echo "error: $1 is true or false, not '$2'"; exit 2 ;;
  esac
}
arguments=("$UCP_COMMAND" --output markdown)
paths=()
case "$UCP_COMMAND" in
  plan)
    # A path may contain blanks; empty lines, such as after the last line end, are no paths.
    while IFS=$' \t\r' read -r path; do [ -z "$path" ] || paths+=("$path"); done <<<"$INPUT_PATHS"
    [ -z "${INPUT_BASE:-}" ] || arguments+=("--base=$INPUT_BASE") ;;
  doctor)
    arguments+=("--severity=$INPUT_SEVERITY")
    [ -z "${INPUT_FOR:-}" ] || arguments+=("--for=$INPUT_FOR") ;;
esac
# Read before the work, so that a slip fails at once.
fails=()
if is fail-on-differences "${INPUT_FAIL_ON_DIFFERENCES:-}"; then fails+=(1); fi
if is fail-on-unknown "${INPUT_FAIL_ON_UNKNOWN:-}"; then fails+=(4); fi

report="${RUNNER_TEMP:?}/kubectl-ucp-$UCP_COMMAND.md"
code=0
kubectl-ucp "${arguments[@]}" -- ${paths[@]+"${paths[@]}"} > "$report" || code=$?
{ echo "code=$code"; echo "report=$report"; } >> "$GITHUB_OUTPUT"
case "$code" in 0 | 1 | 4) ;; *) exit "$code" ;; esac
cat "$report"
cat "$report" >> "$GITHUB_STEP_SUMMARY"

if [ -n "${INPUT_PULL_REQUEST:-}" ]; then
  [[ "$INPUT_PULL_REQUEST" =~ ^[0-9]+$ ]] || { echo "error: pull-request is a number, not '$INPUT_PULL_REQUEST'"; exit 2; }
  # The comment of an earlier run, and nobody else's: it begins with this line.
  marker="<!-- kubectl ucp $UCP_COMMAND -->"
  body="$RUNNER_TEMP/kubectl-ucp-comment.json"
  jq --null-input --arg marker "$marker" --rawfile report "$report" '{body: ($marker + "\n" + $report)}' > "$body"
  comments="repos/$GITHUB_REPOSITORY/issues"
  earlier="$(gh api --paginate "$comments/$INPUT_PULL_REQUEST/comments" |
    jq --raw-output --arg marker "$marker" '.[] | select(.user.type == "Bot" and (.body | startswith($marker))) | .id' |
    tail -n 1)"
  if [ -n "$earlier" ]; then
    gh api --method PATCH "$comments/comments/$earlier" --input "$body" --silent
  else
    gh api --method POST "$comments/$INPUT_PULL_REQUEST/comments" --input "$body" --silent
  fi
fi
for fail in ${fails[@]+"${fails[@]}"}; do
  [ "$code" -ne "$fail" ] || exit "$code"
done
