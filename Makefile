# A newcomer needs only `make play` and `make test`. Each target sets up what it needs, in a virtual
# environment in .venv. Tests also need QEMU, Chromium and mosquitto, which are installed through
# apt if that needs no password.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Python keeps compiled modules in any case: the tests start it hundreds of times, and each start
# would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help play web test test-long check format table hex flash put watch core dist page bench soak mutations pictures clean test-programs

play: $(VENV)/play  ## play on a virtual micro:bit
	@$(BIN)/noughts play

web: $(VENV)/play  ## play in the browser, and watch boards
	@$(BIN)/noughts web

help:  ## list these
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{ printf "%-14s %s\n", $$1, $$2 }'

# One more than processors, because some tests wait. Each collects all tests.
WORKERS = $(shell $(BIN)/python -c "import os; print(min(os.cpu_count() + 1, 8))")
PYTEST_OPTIONS = -n $(WORKERS) --dist loadfile --no-loadscope-reorder
PYTEST = $(BIN)/python -m pytest $(PYTEST_OPTIONS)

test: $(VENV)/dev test-programs check  ## check everything and run the tests (a few minutes)
	@$(PYTEST)

test-long: $(VENV)/dev test-programs  ## run the long tests (some ten minutes)
	@$(PYTEST) -m long

check: $(VENV)/dev  ## lint and check types, without tests
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache --no-logo
	@$(BIN)/python tools/check_device.py
	@$(BIN)/noughts table --check > /dev/null

format: $(VENV)/dev  ## reformat the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

hex: $(VENV)/play  ## write noughts.hex, for any micro:bit
	@$(BIN)/noughts hex

flash: $(VENV)/play  ## put the game on the micro:bit that is plugged in
	@$(BIN)/noughts flash

put: $(VENV)/play  ## update the game's files on the micro:bit over the serial port
	@$(BIN)/noughts put

watch: $(VENV)/play  ## show the boards that are plugged in, and store their games
	@$(BIN)/noughts watch

table: $(VENV)/play  ## make the chip's brain, device/table.py
	@$(BIN)/noughts table

core: $(VENV)/core  ## compile the emulator's chips, core.wasm, from C
	@$(BIN)/python tools/build_core.py

dist: $(VENV)/dev  ## build what is released, in dist/: wheels, sdists, noughts.hex, the page
	@rm -rf dist
	@$(MAKE) --no-print-directory page
	@$(BIN)/python -m build --outdir dist host/microbit_emulator
	@NOUGHTS_EMULATOR=version $(BIN)/python -m build --outdir dist --sdist
	@NOUGHTS_EMULATOR=version $(BIN)/python -m build --outdir dist --wheel
	@$(BIN)/noughts hex -o dist/noughts.hex

page: $(VENV)/play  ## build dist/noughts.html, which needs nothing installed, and dist/site/
	@command -v npm >/dev/null || $(PYTHON) tools/set_up.py $(VENV) Node.js '.[page]'
	@$(BIN)/python tools/build_page.py

bench: $(VENV)/dev  ## measure everything, and compare it with the targets (BENCH="rooms" for a part)
	@PYTHONPATH=tools/harness $(BIN)/python tools/bench.py $(BENCH)

# SOAK="--board v1 --hours 1" for less than 24 device-hours of V1 and 8 of V2; see tools/soak.
soak: $(VENV)/dev  ## play for hours of device time (SOAK="--help" for options)
	@PYTHONPATH=tools:tools/harness $(BIN)/python -m soak $(SOAK)

SEED ?= 1
COUNT ?= 60
FOLDERS ?= device host/noughts host/page host/microbit_emulator
mutations: $(VENV)/mutations  ## count how many random changes of the code tests notice (SEED=1 COUNT=60)
	@$(BIN)/python tools/mutations.py --seed $(SEED) --count $(COUNT) --folders "$(FOLDERS)" -- $(PYTEST_OPTIONS)

pictures: $(VENV)/dev  ## redraw the pictures in the documents
	@PYTHONPATH=tools/harness $(BIN)/python tools/pictures.py

clean:  ## remove .venv, build, dist and all caches
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

test-programs:
	@sh tools/get_test_programs.sh

$(VENV)/play: pyproject.toml host/microbit_emulator/pyproject.toml
	@$(PYTHON) tools/set_up.py $(VENV) noughts .
	@touch $@

$(VENV)/core: $(VENV)/dev
	@$(PYTHON) tools/set_up.py $(VENV) 'the compiler of the core' '.[core]'
	@touch $@

$(VENV)/mutations: $(VENV)/core
	@$(PYTHON) tools/set_up.py $(VENV) 'the parsers for mutations' '.[mutations]'
	@touch $@

$(VENV)/dev: $(VENV)/play
	@$(PYTHON) tools/set_up.py $(VENV) 'the development tools' '.[dev]'
	@touch $@
