#!/usr/bin/env bash
# Puts kubectl-ucp on the PATH of the steps that follow. One that is there already is taken. Else the release is
# downloaded that krew-manifests/ucp.yaml names, beside which this action was checked out: who pins the action by its
# commit pins the program by its checksum.
set -euo pipefail

fail() { echo "::error::$*"; exit 1; }

if command -v kubectl-ucp >/dev/null; then
  echo "kubectl-ucp is here: $(kubectl-ucp version --client | head -n 1)"
  exit
fi

manifest="${UCP_MANIFEST:-$(dirname "${BASH_SOURCE[0]}")/../../../krew-manifests/ucp.yaml}"
system="$(tr '[:upper:]' '[:lower:]' <<<"${RUNNER_OS:-$(uname -s)}")"
case "$system" in macos) system=darwin ;; esac
architecture="${RUNNER_ARCH:-$(uname -m)}"
case "$architecture" in
  X64 | x86_64) architecture=amd64 ;;
  ARM64 | aarch64 | arm64) architecture=arm64 ;;
esac

read -r uri sum < <(awk -v system_name="$system" -v architecture="$architecture" '
  /^  - selector:/ { os = arch = "" }
  $1 == "os:" { os = $2 }
  $1 == "arch:" { arch = $2 }
  os == system_name && arch == architecture && $1 == "uri:" { uri = $2 }
  os == system_name && arch == architecture && $1 == "sha256:" { print uri, $2; exit }
' "$manifest") || fail "this version of the action names no release for $system/$architecture; use a later one," \
  "or put kubectl-ucp on the PATH before"

directory="$(mktemp -d "${RUNNER_TEMP:-/tmp}/kubectl-ucp.XXXXXX")"
archive="$directory/${uri##*/}"
curl --fail --silent --show-error --location --retry 3 --proto-redir =https --output "$archive" "$uri" ||
  fail "$uri could not be downloaded"
if command -v sha256sum >/dev/null; then actual="$(sha256sum "$archive")"; else actual="$(shasum -a 256 "$archive")"; fi
# A backslash leads where the name has one, as on Windows.
actual="${actual#\\}"
[ "${actual%% *}" = "$sum" ] || fail "$uri has the SHA-256 ${actual%% *}, not $sum"

mkdir "$directory/bin"
case "$archive" in
  *.zip) unzip -q "$archive" -d "$directory/bin" ;;
  *) tar -xzf "$archive" -C "$directory/bin" ;;
esac
echo "$directory/bin" >> "$GITHUB_PATH"
echo "kubectl-ucp is from $uri"
