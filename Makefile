# Trapdial. `make demo` plays a simulated table; `make test` passes the everyday tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test check clean

demo: $(READY)            ## a simulated table in this terminal
	$(BIN)/trapdial demo

test: $(READY)            ## everyday tests, under two minutes
	$(BIN)/pytest -q -n auto -m "not slow and not wired"

check: $(READY)           ## strict types and lint over everything
	$(BIN)/ruff check .
	$(BIN)/mypy

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
