# Cerco: the two commands of README.md are `make run` and `make test`.
# Nothing has to be set up first: each target installs or says what it needs.

CARGO ?= cargo

.PHONY: run test check bench page setup demo-build clean-setup

## run: build (with the page), make a small sample project, show the main job on it
run: page
	$(CARGO) build --release -p cerco
	scripts/demo.sh target/release/cerco

## test: everything, set-up included (as root it also runs the containment suite as an ordinary user)
test: setup
	scripts/test.sh

## check: the fast checks, under a minute when warm
check:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) nextest run -p xtask -p cerco-model -p cerco-filter -p cerco-decide --locked

## bench: the measurements that the documents quote, side by side in one run
bench:
	$(CARGO) bench --workspace --locked

## page: the gateway's page, from web/ into web/dist, where the next build of cerco takes it from
# Without node, cerco builds as well, and its gateway says how to get the page.
ifneq ($(shell command -v npm),)
page: web/dist/index.html
else
page:
	@echo "no node here: cerco is built without its page; install Node 20 or newer for it"
endif

# Only where something of it changed: a page made anew is a binary made anew.
web/dist/index.html: $(shell find web/src web/public -type f) $(wildcard web/*.json web/*.ts web/index.html crates/*/spanish.txt)
	cd web && npm ci --no-audit --no-fund && npm run build

## setup: what the tests need on a Debian machine: packages as root, npm packages from the lock file
setup:
	scripts/test-setup.sh
