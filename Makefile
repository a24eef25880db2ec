# One entry for people and for CI. `make run` and `make test` do all their own set-up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
QUESTION ?= How does the host stop a plugin that hangs?

.PHONY: run test lint types contracts unit e2e soak bench wheel clean

run: $(STAMP)
	@$(BIN)/novacore ask "$(QUESTION)" --model navigator --tour

test: lint types contracts wheel unit

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

$(STAMP): pyproject.toml | $(VENV)/bin/python
	@echo "Installing NovaCore into $(VENV) (once) ..."
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(DEV_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

lint: $(DEV_STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/vulture

types: $(DEV_STAMP)
	$(BIN)/mypy

contracts: $(DEV_STAMP)
	$(BIN)/lint-imports

unit: $(DEV_STAMP)
	$(BIN)/python -m pytest -q -n 3 --dist loadgroup -m "not soak and not bench" tests

e2e: $(DEV_STAMP)
	@echo "No browser or editor tests yet: they come with the editor front ends."

soak: $(DEV_STAMP)
	$(BIN)/python -m pytest -q -m soak tests

bench: $(DEV_STAMP)
	$(BIN)/python -m pytest -q -s -m bench tests/bench

wheel: $(DEV_STAMP)
	rm -rf dist
	$(BIN)/python -m build --wheel --outdir dist . > /dev/null
	$(BIN)/check-wheel-contents dist

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
