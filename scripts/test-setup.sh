#!/usr/bin/env bash
# Installs what the tests need and this machine lacks. As root it uses apt-get and makes the
# ordinary user that the containment suite also runs as; as somebody else it only checks.
set -euo pipefail
cd "$(dirname "$0")/.."

# program → Debian package
needed=(
  bwrap:bubblewrap dash:dash zsh:zsh busybox:busybox-static strace:strace
  setpriv:util-linux python3:python3 pytest:python3-pytest gcc:gcc make:make git:git node:nodejs npm:npm
  curl:curl openssl:openssl setfattr:attr keyctl:keyutils pgrep:procps ip:iproute2 setcap:libcap2-bin
  chromium:chromium script:bsdutils unshare:util-linux
)
missing=()
for pair in "${needed[@]}"; do
  command -v "${pair%%:*}" >/dev/null 2>&1 || missing+=("${pair##*:}")
done
# Debian keeps what `python3 -m venv` needs in a package of its own (tests/mcp).
python3 -c 'import ensurepip' >/dev/null 2>&1 || missing+=(python3-venv)
# The system's own: one in a home is not seen inside the sandbox.
/usr/bin/python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip)
if ((${#missing[@]})); then
  if ((EUID != 0)); then
    echo "test set-up: missing packages. Run: sudo apt-get install -y ${missing[*]}" >&2
    exit 1
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

command -v cargo >/dev/null || { echo "test set-up: no cargo. Install Rust 1.95 or newer with rustup" >&2; exit 1; }
cargo nextest --version >/dev/null 2>&1 || cargo install --locked cargo-nextest
# Unoptimised: it is built in half the time and runs for a second.
cargo deny --version >/dev/null 2>&1 || cargo install --locked --debug --quiet cargo-deny

if ((EUID == 0)) && ! id cerco-test >/dev/null 2>&1; then
  useradd --create-home --shell /bin/bash cerco-test
fi
