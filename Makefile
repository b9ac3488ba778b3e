# Everything builds its own .venv; only python3 (3.11 or newer), make and git are needed.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
PIP := $(PY) -m pip --quiet --disable-pip-version-check

# Stamps hold what was installed: a change of pyproject.toml installs again, nothing else does.
BASE := $(VENV)/.stamp-base
DEV := $(VENV)/.stamp-dev
DEMO := $(VENV)/.stamp-demo

SERVER := xllamacpp>=2026.10,<2027
CHECKED := $(wildcard src tests examples benchmarks)

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

.PHONY: demo
demo: $(BASE) $(if $(MODEL),,$(DEMO)) ## A real conversation with a small local model (MODEL=openai:NAME or http://HOST:PORT/v1#NAME for another)
	@$(PY) -m examples.demo $(if $(MODEL),--model '$(MODEL)')

.PHONY: test
test: $(DEV) ## Every check: style, types, floors, then all tests
	@echo '== style (ruff)'
	@$(PY) -m ruff check --quiet $(CHECKED)
	@$(PY) -m ruff format --quiet --check $(CHECKED)
	@echo '== types (mypy --strict)'
	@$(PY) -m mypy --strict src $(wildcard examples)
	@echo '== floors (import-linter)'
	@$(BIN)/lint-imports --no-logo >$(VENV)/floors.log 2>&1 || { cat $(VENV)/floors.log; exit 1; }
	@grep '^Contracts:' $(VENV)/floors.log
	@echo '== tests (pytest)'
	@$(PY) -m pytest -q $(PYTEST_ARGS)

.PHONY: lint
lint: $(DEV) ## Style and floors only
	@$(PY) -m ruff check $(CHECKED)
	@$(PY) -m ruff format --check $(CHECKED)
	@$(BIN)/lint-imports

.PHONY: format
format: $(DEV) ## Rewrite the files as the style wants them
	@$(PY) -m ruff check --quiet --fix $(CHECKED)
	@$(PY) -m ruff format $(CHECKED)

.PHONY: types
types: $(DEV) ## Types only
	@$(PY) -m mypy --strict src $(wildcard examples)

.PHONY: torture
torture: $(DEV) ## The properties again, with twenty times as many random examples (TIMES=n for more)
	@TOOLCRIB_TORTURE=$(or $(TIMES),20) $(PY) -m pytest -q tests/properties tests/dialects tests/models/test_bodies.py tests/schema/test_names.py

.PHONY: bench
bench: $(BASE) ## Measure against a loop written by hand and two peers (ARGS=--quick for a first look)
	@$(PY) -m benchmarks.run $(ARGS)

.PHONY: venv
venv: $(DEV) ## Build .venv with everything that development needs

.PHONY: clean
clean: ## Remove .venv, caches and what was built (the demo's model in .cache/ stays)
	rm -rf $(VENV) .bench-venvs dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests examples benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(BASE): pyproject.toml scripts/make-venv.sh
	@sh scripts/make-venv.sh $(VENV)
	@echo 'Installing toolcrib into $(VENV) ...'
	@$(PIP) install --editable .
	@touch $@

$(DEV): $(BASE)
	@echo 'Installing what the checks need into $(VENV) ...'
	@$(PIP) install --editable '.[dev]'
	@touch $@

$(DEMO): $(BASE)
	@echo 'Installing the local model server into $(VENV) ...'
	@$(PIP) install --only-binary :all: '$(SERVER)'
	@touch $@
