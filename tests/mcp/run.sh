#!/usr/bin/env bash
# Drives `cerco mcp` with the official Python client: tests/mcp/run.sh [path of cerco]
# Makes its virtual environment under target/ the first time (needs the package registry then).
set -euo pipefail
cd "$(dirname "$0")/../.."
cerco=${1:-target/debug/cerco}
[[ -x $cerco ]] || { echo "no $cerco: run cargo build -p cerco first" >&2; exit 1; }
venv=target/mcp-venv
if ! "$venv/bin/python" -c 'import mcp, websockets' 2>/dev/null; then
  python3 -m venv "$venv" || { echo "python3 -m venv failed: install python3-venv" >&2; exit 1; }
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r tests/mcp/requirements.txt
fi
"$venv/bin/python" tests/mcp/drive.py "$(realpath "$cerco")"
"$venv/bin/python" tests/mcp/gateway.py "$(realpath "$cerco")"
