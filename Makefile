SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c

# Packages in which goroutines share something.
CONCURRENT := ./cluster/... ./parser ./store/... ./executor/... ./session/... ./wire/... ./cmd/... ./e2e ./e2e/levels

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' Makefile

.PHONY: build
build: ## build bin/zproxy
	@echo "building zproxy; the first time takes a few minutes"
	@go build -buildvcs=auto -o bin/zproxy ./cmd/zproxy

.PHONY: demo
demo: build ## serve a temporary store filled with real places, and say how to connect
	@bin/zproxy demo

.PHONY: test
test: ## run all tests and count them
	go test -v -timeout 30m ./... 2>&1 | awk -f .ci/summary.awk

.PHONY: check
check: fmt vet staticcheck archtest test ## all that must hold before a change is merged

.PHONY: fmt
fmt: ## fail on files that gofmt would change
	@files=$$(gofmt -l .); [ -z "$$files" ] || { echo "gofmt would change:"; echo "$$files"; exit 1; }

.PHONY: vet
vet: ## go vet
	go vet ./...

.PHONY: staticcheck
staticcheck: ## staticcheck, in the version of go.mod
	go tool staticcheck ./...

.PHONY: archtest
archtest: ## imports, sizes, comments and names against ARCHITECTURE.md
	go test ./internal/archtest

.PHONY: fuzzbriefly
fuzzbriefly: ## each fuzz target for 5 seconds, all of them for at most 90
	.ci/fuzz 5 90

.PHONY: fuzz
fuzz: ## each fuzz target for 5 minutes
	.ci/fuzz 300

.PHONY: race
race: ## the tests of concurrent packages with the race detector
	go test -race -timeout 0 $(CONCURRENT)

N := 100000
SEED := 0

.PHONY: differential
differential: ## compare N random statements with PostgreSQL, from SEED on
	go test ./e2e -run TestDiffersNowhere -v -timeout 0 -statements $(N) -seed $(SEED) | grep -v '^ *\(=== \|--- PASS\)'

.PHONY: keys
keys: ## ask PostgreSQL and zproxy the same of foreign keys in all combinations
	go test ./e2e -run 'TestKeyMatrix$$' -v -count 1 -timeout 0 -rounds 100

.PHONY: sqlfuzz
sqlfuzz: ## call functions and operators with values at an end in N statements of every clause, from SEED on
	go test ./e2e -run 'TestSQLFuzz$$|TestNesting' -v -timeout 0 -sqlfuzz $(N) -seed $(SEED)

.PHONY: sqlsmith
sqlsmith: N := 20000
sqlsmith: ## let SQLsmith (apt-get install sqlsmith) make N queries of what the catalogs list, from SEED on
	go test ./e2e -run 'TestSQLsmith$$' -v -timeout 0 -sqlsmith $(N) -seed $(SEED)

.PHONY: rules
rules: N := 5
rules: ## ask random queries with all rules, none, and each one off, N times as many as make test, from SEED on
	go test ./e2e -run 'TestRulesKeepRows$$|TestManyRows$$' -v -timeout 0 -rounds $(N) -seed $(SEED)
	go test ./optimizer/access -run 'LeaveNoRowOut$$' -v -timeout 0 -rounds $(N) -seed $(SEED)

.PHONY: metamorphic
metamorphic: N := 20
metamorphic: ## play N random programs on every store, with keys of every kind, from SEED on, and compare
	go test ./e2e -run TestMetamorphic -v -timeout 0 -programs $(N) -seed $(SEED)

.PHONY: regress
regress: ARGS :=
regress: ## run PostgreSQL's regression suite on both, and write e2e/regress/REPORT.md; ARGS='-files enum,domain' runs a few
	go test ./e2e/regress -run TestSuite -regress -v -count 1 -timeout 0 $(ARGS) | grep -v '^ *\(=== \|--- PASS\)'

.PHONY: isolation
isolation: ARGS :=
isolation: ## play all permutations of PostgreSQL's isolation specs, and compare; ARGS=-rewrite notes what came of them
	go test ./e2e/isolation -run 'TestSpecs|TestOwnSpecs' -v -count 1 -timeout 0 -permutations 0 $(ARGS) | grep -v '^ *\(=== \|--- PASS\)'

.PHONY: isolation-dynamodb
isolation-dynamodb: ARGS :=
isolation-dynamodb: ## play three permutations of each of them on DynamoDB, and compare; ARGS=-rewrite notes what came of them
	go test ./e2e/isolation -run TestSpecsOnDynamoDB -v -count 1 -timeout 0 -dynamodb $(ARGS) | grep -v '^ *\(=== \|--- PASS\)'

.PHONY: serial
serial: N := 1000
serial: ## look for anomalies in histories of random transactions of N seeds, from SEED on, here and on PostgreSQL
	go test ./e2e/levels -run 'Histories$$' -v -count 1 -timeout 0 -serial $(N) -seed $(SEED)

.PHONY: soak
soak: N := 10
soak: ## run random transactions on the embedded store for N minutes, with changes of the schema beside, from SEED on
	go test ./e2e/levels -run TestSoak -v -count 1 -timeout 0 -soak $(N)m -seed $(SEED)

.PHONY: schedules
schedules: N := 500
schedules: ## play N random schedules of two sessions at each level that waits, from SEED on, and compare with PostgreSQL
	go test ./e2e/levels -run TestRandomSchedules -v -count 1 -timeout 0 -schedules $(N) -seed $(SEED)

.PHONY: local
local: ## play all scripts of e2e on DynamoDB Local, of which make test plays some
	go test ./e2e -run TestRemoteScripts -local -timeout 0

.PHONY: pgbench
pgbench: SCALE := 5
pgbench: ## let pgbench fill tables at SCALE on the fake and on DynamoDB Local, and run
	go test ./e2e -run TestPgbench -v -count 1 -timeout 0 -pgbench $(SCALE)

.PHONY: cancel
cancel: ## end every function with large arguments, large statements and silent clients, and report what ends late
	go test ./e2e -run 'TestCancel(EveryFunction|LargeStatements)$$|TestStatementsEnd$$' -cancel -v -count 1 -timeout 0

.PHONY: faults
faults: N := 1000
faults: ## play N runs with a failing store, from SEED on, of all programs or of PROGRAM, such as lists
	go test ./e2e/faults -run TestFaults -timeout 0 -runs $(N) -seed $(SEED) $(if $(PROGRAM),-program $(PROGRAM))

.PHONY: mutants
mutants: NAME := .
mutants: ## put each mistake whose name matches NAME into the program, and want the tests to find it
	go test ./e2e/mutants -v -count 1 -timeout 0 -mutants '$(NAME)'

.PHONY: kills
kills: ROWS := 40
kills: EVERY := 1
kills: ## kill a process at each EVERYth request of statements that write ROWS rows with two indexes on DynamoDB
	go test ./session -run TestKilledCommits -v -count 1 -timeout 0 -killed.rows $(ROWS) -killed.every $(EVERY) -seed $(SEED)

.PHONY: damage
damage: N := 3000
damage: ## damage files of the embedded store N times, with what SEED draws, salvage them, and let each write fail, and look for lost rows
	go test ./store/pebblestore -run 'TestMutations$$|TestSalvage$$|TestSalvageReserved$$|TestAdoptDamaged$$|TestFailingDisk$$|TestCrashAnywhere$$' -v -count 1 -timeout 0 -mutations $(N) -seed $(SEED)

.PHONY: crash
crash: N := 100
crash: ## kill a server under load N times, with what SEED draws, and compare what is left with what was acknowledged
	go test ./cmd/zproxy -run 'TestKills$$' -v -count 1 -timeout 0 -kills $(N) -seed $(SEED)

.PHONY: flood
flood: ## let 20 sessions want more memory than there is for two minutes, with what SEED draws
	go test ./cmd/zproxy -run 'TestFlood$$' -v -count 1 -timeout 0 -flood 2m -seed $(SEED)

.PHONY: bench
bench: ## compare with PostgreSQL, and keys with shards with others, into bench/RESULTS.md
	go run ./bench

.PHONY: generate
generate: ## make generated files anew (needs npm)
	go generate ./...

.PHONY: deps
deps: ## install what the tests need on Debian, where it is missing
	.ci/deps

.PHONY: clean
clean: ## remove what was built
	rm -rf bin
