# Everything sets itself up, in a virtual environment in .venv; for a test that needs QEMU, it comes
# through apt where that can be done without asking. `make play` and `make test` are all that a
# newcomer needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: play test check format table hex flash put watch bench soak pictures clean qemu

play: $(VENV)/play
	@$(BIN)/noughts play

test: $(VENV)/dev qemu check
	@$(BIN)/python -m pytest -n 4 --dist loadgroup

check: $(VENV)/dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache --no-logo
	@$(BIN)/python tools/check_device.py
	@$(BIN)/noughts table --check > /dev/null

format: $(VENV)/dev
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

hex: $(VENV)/play
	@$(BIN)/noughts hex

flash: $(VENV)/play
	@$(BIN)/noughts flash

put: $(VENV)/play
	@$(BIN)/noughts put

watch: $(VENV)/play
	@$(BIN)/noughts watch

table: $(VENV)/play
	@$(BIN)/noughts table

bench: $(VENV)/dev
	@$(BIN)/python tools/bench.py

# SOAK="--board v1 --hours 1" for less than 24 device-hours of V1 and 8 of V2; see tools/soak.
soak: $(VENV)/dev
	@PYTHONPATH=tools $(BIN)/python -m soak $(SOAK)

pictures: $(VENV)/dev
	@$(BIN)/python tools/pictures.py

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

qemu:
	@sh tools/get_qemu.sh

$(VENV)/play: pyproject.toml
	@$(PYTHON) tools/make_venv.py $(VENV)
	@echo "Installing noughts into $(VENV)"
	@$(PIP) install --editable .
	@touch $@

$(VENV)/dev: $(VENV)/play
	@echo "Installing the development tools into $(VENV)"
	@$(PIP) install --editable '.[dev]'
	@touch $@
