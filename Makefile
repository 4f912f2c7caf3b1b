# Thin: the settings are in CMakePresets.json, the work in CMake and scripts/.
#
#   make build PRESET=debug     any preset of CMakePresets.json
#   make run ARGS='--listen 127.0.0.1:9000'   arguments for `petrel serve`

PRESET ?= release
TARGET ?= petrel
ARGS ?=
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 5
COVERAGE_MIN ?= 95
BENCH_ARGS ?=
KILLS ?= 50
HOSTILE ?= 1000000
SEEDS ?= 2000
MUTATION ?= --sample 40
UNDO ?=
BASE ?=

CPP = $(shell find $(wildcard src tests bench examples) -name '*.h' -o -name '*.cpp')

.DEFAULT_GOAL := help
.PHONY: build run test sim crash hostile memory mutation undo bench deb deb-check tarball tarball-check screenshots sanitize tidy tsan format lint coverage fuzz clean help bootstrap bootstrap-all
.DELETE_ON_ERROR:
.NOTPARALLEL:

build: build/$(PRESET)/build.ninja ## Build the server: build/release/petrel
	cmake --build --preset $(PRESET) --target $(TARGET) --parallel $(JOBS)

run: build ## Serve; pass options with ARGS='…'
	build/$(PRESET)/petrel serve $(ARGS)

test: build/$(PRESET)/build.ninja ## Build and run all tests; PRESET=asan or tsan for the sanitizers
	cmake --build --preset $(PRESET) --parallel $(JOBS)
	ctest --preset $(PRESET) --parallel $(JOBS)

sim: build/$(PRESET)/build.ninja ## Live through SEEDS simulated days full of faults; see docs/testing.md
	cmake --build --preset $(PRESET) --target petrel_sim_main --parallel $(JOBS)
	build/$(PRESET)/tests/sim/petrel_sim --seeds $(SEEDS)

crash: build ## Kill -9 a busy server KILLS times, with 1, 8 and 32 event loops
	for shards in 1 8 32; do SHARDS=$$shards KILLS=$(KILLS) PETREL=build/$(PRESET)/petrel \
	  python3 -B tests/system/crash_test.py || exit; done

hostile: build ## Send HOSTILE malicious requests to a server and see that it stands
	HOSTILE=$(HOSTILE) PETREL=build/$(PRESET)/petrel python3 -B tests/system/hostile_test.py

memory: build ## Press a server of 1 GiB from all sides and see that it keeps to it; some minutes
	SCALE=full PETREL=build/$(PRESET)/petrel python3 -B tests/system/memory_test.py

mutation: bootstrap ## Break the sources in small ways and list what no test notices; see scripts/mutate
	scripts/mutate $(MUTATION)

undo: bootstrap ## Put former defects back, one at a time, and see that the simulation finds each; UNDO='--only …'
	scripts/undo $(UNDO)

bench: build ## Measure the server; BENCH_ARGS='…', see build/release/petrel_bench --help
	cmake --build --preset $(PRESET) --target petrel_bench --parallel $(JOBS)
	build/$(PRESET)/petrel_bench --petrel build/$(PRESET)/petrel $(BENCH_ARGS)

# Of the release build, whatever PRESET is. The symbols are in a package of their own.
deb: bootstrap build/release/build.ninja ## Make build/petrel_*.deb, for the Debian release that it is made on
	cmake --build --preset release --target petrel_papers --parallel $(JOBS)
	rm -f build/petrel_*.deb build/petrel-dbgsym_*.ddeb
	umask 022 && cpack --config build/release/CPackConfig.cmake -B build/package
	mv build/package/petrel_*.deb build/package/petrel-dbgsym_*.ddeb build/

tarball: bootstrap build/release/build.ninja ## Make build/petrel-*.tar.xz, linked as statically as Debian's libraries allow
	cmake --build --preset release --target petrel_portable petrel_papers --parallel $(JOBS)
	rm -f build/petrel-*.tar.xz
	scripts/package/tarball build/release/portable/petrel build/release/papers build

tarball-check: tarball ## Run the tarball's binary where nothing else is; as root
	scripts/package/tarball_check build/petrel-*.tar.xz

deb-check: deb ## Install, remove and purge the package in a throw-away copy of this system; as root
	scripts/package/install_check build/petrel_*.deb

screenshots: bootstrap-all build ## Take a picture of every screen of the dashboard into build/screenshots
	tests/clients/install build/$(PRESET)/tests/browser/packages tests/browser
	PACKAGES=$(CURDIR)/build/$(PRESET)/tests/browser/packages PETREL=$(CURDIR)/build/$(PRESET)/petrel \
	  SHOTS=$(CURDIR)/build/screenshots \
	  build/$(PRESET)/tests/browser/packages/node tests/browser/screenshots.mjs

# By clang, so that its warnings come with it.
SANITIZED = base log metric policy signature schema vault model lane engine store intake net dispatch \
            replay notice node
sanitize: bootstrap-all build/asan/build.ninja ## Run the tests of the rooms up to node under ASan and UBSan
	cmake --build --preset asan --parallel $(JOBS) --target $(SANITIZED:%=%_test)
	ctest --preset asan --parallel $(JOBS) --tests-regex '^($(subst $(eval ) ,|,$(SANITIZED)))(/[0-9]+)?$$'

format: bootstrap-all ## Format the C++ sources in place
	clang-format -i $(CPP)

lint: bootstrap-all build/release/build.ninja ## Check format, rooms, sizes, clocks, words
	scripts/lint/run

# BASE: only what differs from there.
tidy: bootstrap-all build/release/build.ninja ## Run clang-tidy over the sources; a quarter of an hour
	scripts/lint/tidy.py $(if $(BASE),--since $(BASE))

# The rooms that have threads.
RACED = base store node net dispatch app
tsan: bootstrap build/tsan/build.ninja ## Run the tests of the rooms with threads under ThreadSanitizer
	cmake --build --preset tsan --parallel $(JOBS) --target $(RACED:%=%_test) \
	  store_conformance_test store_power_loss_test store_disk_fault_test
	ctest --preset tsan --parallel $(JOBS) \
	  --tests-regex '^(($(subst $(eval ) ,|,$(RACED)))(/[0-9]+)?|store/.*)$$'

coverage: bootstrap-all build/coverage/build.ninja ## Measure line coverage of the deciding rooms
	cmake --build --preset coverage --parallel $(JOBS)
	find build/coverage -name '*.gcda' -delete
	ctest --preset coverage --parallel $(JOBS)
	gcovr --root . --filter 'src/(base|policy|signature|lane)/' --exclude '.*_test\.cpp' \
	  --print-summary --fail-under-line $(COVERAGE_MIN) build/coverage

fuzz: bootstrap-all build/asan/build.ninja ## Run each fuzzer for FUZZ_SECONDS from its committed corpus
	cmake --build --preset asan --target fuzzers --parallel $(JOBS)
	scripts/fuzz build/asan $(FUZZ_SECONDS)

clean: ## Remove everything that was built
	rm -rf build

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build/%/build.ninja: CMakePresets.json | bootstrap
	cmake --preset $*

bootstrap:
	@scripts/bootstrap build

bootstrap-all:
	@scripts/bootstrap
