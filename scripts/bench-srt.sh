#!/usr/bin/env bash
# Start-up of `true` in the sandbox, guard and journal included, beside srt's published
# command line, in turns. Fetches srt from the package registry into a folder that goes at the
# end; no part of the tests.
#   usage: scripts/bench-srt.sh [CERCO [ROUNDS]]     needs: node, npm, socat, ripgrep, bubblewrap
set -euo pipefail
cd "$(dirname "$0")/.."
cerco=$(readlink -f "${1:-target/release/cerco}")
rounds=${2:-30}
version=0.0.78

for tool in node npm socat rg bwrap; do
  command -v "$tool" >/dev/null || { echo "needs $tool: apt-get install -y nodejs npm socat ripgrep bubblewrap" >&2; exit 2; }
done
[[ -x $cerco ]] || { echo "no $cerco: cargo build --release -p cerco" >&2; exit 2; }

ground=$(mktemp -d "${TMPDIR:-/tmp}/cerco-srt.XXXXXX")
trap 'rm -rf "$ground"' EXIT
(cd "$ground" && npm install --silent --no-audit --no-fund "@anthropic-ai/sandbox-runtime@$version" >/dev/null)
srt=$ground/node_modules/.bin/srt

export HOME=$ground/home XDG_CONFIG_HOME=$ground/config XDG_STATE_HOME=$ground/state XDG_CACHE_HOME=$ground/cache
mkdir -p "$HOME" "$ground/shop/loops/site/src" "$ground/shop/loops/api"
cd "$ground/shop"
for n in {1..200}; do echo 'fn f() {}' > "loops/site/src/$n.rs"; done
"$cerco" init --loop loops/site --loop loops/api >/dev/null
cd loops/site
cat > "$ground/srt.json" <<'JSON'
{ "filesystem": { "denyRead": [], "allowWrite": ["."], "denyWrite": [] },
  "network": { "allowedDomains": [], "deniedDomains": [] } }
JSON

# Microseconds that the command took.
timed() {
  local began=${EPOCHREALTIME/[.,]/}
  "$@" </dev/null >/dev/null
  echo $((${EPOCHREALTIME/[.,]/} - began))
}
ours=() theirs=()
for ((round = -3; round < rounds; round++)); do
  a=$(timed "$cerco" run --sandbox -- true)
  b=$(timed "$srt" --settings "$ground/srt.json" -c true)
  ((round < 0)) || { ours+=("$a"); theirs+=("$b"); }
done
median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }
a=$(median "${ours[@]}") b=$(median "${theirs[@]}")
awk -v a="$a" -v b="$b" -v n="$rounds" -v who="$(id -un)" -v v="$version" 'BEGIN {
  printf "as %s, %d rounds in turns: cerco run --sandbox %.1f ms, srt %s %.1f ms: %.1f times faster\n", who, n, a / 1000, v, b / 1000, b / a }'
