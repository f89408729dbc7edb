# make demo   the whole story on a local chain        (needs Go)
# make test   every test                              (needs Go)
# make check  what CI runs: tests, lint, freshness, races, browser
#             (needs a C compiler, Node and Chromium; installs the last two's packages)

GO       ?= go
FUZZTIME ?= 30s
TORTURE  ?= 50

# One set of flags for every go command here. Packages as large as go-ethereum
# compile once and serve build, test, vet and the tools; another setting
# would compile them all again.
export CGO_ENABLED = 0
LDFLAGS := -s -w

# What `make generate` writes, all of it.
GENERATED := THIRD_PARTY_NOTICES README.md docs/commands.md docs/configuration.md docs/errors.md docs/events.md docs/policy.schema.json docs/skillcard.schema.json docs/sandbox.md

.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: build demo test check lint generate fresh race test-outside test-clients torture mutants bench fuzz contracts vuln help clean

build: ## bin/ape-claw, static
	$(GO) build -ldflags '$(LDFLAGS)' -o bin/ape-claw ./cmd/ape-claw

demo: build ## quote, simulate and buy an NFT on a local chain, and watch it
	./bin/ape-claw demo

test: ## every test that needs nothing but Go
	$(GO) test ./...
	cd bench && $(GO) test ./...

check: test lint fresh race test-outside ## what CI runs
	@echo "== check: all good"

lint:
	@echo "== gofmt"; out=$$(find . -name '*.go' -not -path '*/node_modules/*' -exec gofmt -l {} +); [ -z "$$out" ] || { echo "$$out"; echo "run: gofmt -w ."; exit 1; }
	@echo "== go vet"; $(GO) vet ./... && cd bench && $(GO) vet ./...
	@echo "== staticcheck"; tool=$$($(GO) tool -n staticcheck) && "$$tool" ./... && cd bench && "$$tool" ./...
	@echo "== go mod tidy"; $(GO) mod tidy -diff && cd bench && $(GO) mod tidy -diff

generate: ## what is written from declarations: notices, docs
	$(GO) run ./tools/notices
	$(GO) run ./tools/gendocs

fresh:
	@echo "== generated files"
	@before=$$(cat $(GENERATED) | cksum); $(MAKE) --no-print-directory generate; \
	  [ "$$before" = "$$(cat $(GENERATED) | cksum)" ] || { git diff --stat -- $(GENERATED); \
	  echo "generated files were out of date; commit what make generate has written"; exit 1; }

race: ## the race detector over what does not link go-ethereum (it needs cgo)
	@echo "== race"
	@.ci/race

test-outside: build ## the stream with npm's eventsource, the page in Chromium, answers against OpenSea's own schema, MCP's conformance suite
	@echo "== outside"
	@.ci/outside

test-clients: build ## the real Claude Code and Codex with the MCP server (fetches them: 800 MB, once)
	@echo "== clients"
	@.ci/clients

torture: build ## storms against the built binary, with their numbers; purchases, approvals, mints and what forwards killed at every step, races for the cap; then the kill, crash and concurrency tests, TORTURE times over
	APE_CLAW_BIN=$(CURDIR)/bin/ape-claw $(GO) test -count=1 -v -timeout 20m ./tests/torture -args -full
	$(GO) test -count=1 -v -timeout 20m ./tests/adversary -args -full
	$(GO) test -count=1 -v -timeout 60m ./tests/money -args -full
	$(GO) test -count=1 -v -timeout 30m ./tests/v2 -args -full
	$(GO) test -count=1 -v -timeout 60m ./tests/redteam -args -full
	$(GO) test -count=1 -v -timeout 30m ./tests/approve -args -full
	$(GO) test -count=1 -v -timeout 60m ./tests/fleet -args -full
	$(GO) test -count=1 -v -timeout 60m ./tests/bridge -args -full
	$(GO) test -count=1 -run LedgerModel -timeout 60m ./policy -args -model.steps 4000
	$(GO) test -count=$(TORTURE) -timeout 3h -run 'Kill|Crash|Many|Race|AtOnce|EveryRPC|Unfinished' ./store ./telemetry/... ./policy ./chain ./sandbox/...

mutants: ## policy, nft and chain broken in thousands of small ways: which of them no test sees (hours)
	@mkdir -p bin
	$(GO) run ./tools/mutate -o bin/mutants-policy.json ./policy
	$(GO) run ./tools/mutate -o bin/mutants.json ./nft/seaport ./nft ./chain

fuzz: ## every fuzz target for FUZZTIME
	@.ci/fuzz $(FUZZTIME)

bench: build ## beside other servers and system calls, ten minutes; writes docs/benchmarks.md
	cd bench && $(GO) run . -binary ../bin/ape-claw -o ../docs/benchmarks.md

contracts: ## compile the contracts and write their Go bindings (needs Node)
	cd sandbox/contracts && npm ci --no-audit --no-fund && node build.mjs
	$(GO) run ./tools/bindgen Seaport seaport sandbox/contracts/Seaport.abi.json - nft/seaport/bindings.go
	for name in DemoCollection DemoToken Depository; do \
	  $(GO) run ./tools/bindgen $$name contracts sandbox/contracts/$$name.abi.json - sandbox/contracts/$$(echo $$name | tr A-Z a-z).go || exit 1; done
	cd v2/contracts && npm ci --no-audit --no-fund && node build.mjs && node torture/build.mjs
	for abi in v2/contracts/*.abi.json; do name=$$(basename $$abi .abi.json); \
	  $(GO) run ./tools/bindgen $$name binding $$abi - v2/contracts/binding/$$(echo $$name | tr A-Z a-z).go || exit 1; done

vuln: ## known vulnerabilities in what is linked (needs a network)
	$(GO) run golang.org/x/vuln/cmd/govulncheck@latest ./...

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' Makefile

clean:
	rm -rf bin
