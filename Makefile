# Everything from nothing: each target makes $(VENV) first, with the extras it needs.
# Another Python, beside this one: make test PYTHON=python3.13 VENV=.venv-3.13
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
WORKERS ?= auto

# One thread a worker: libraries that take all cores in each of them wait for one another most of the time.
test test-slow test-whole: export OMP_NUM_THREADS = 1

.PHONY: demo test test-slow test-whole dev bench reproduce paper-named docs lint format clean

demo: $(STAMPS)/core
	$(BIN)/evenhand demo --out demo

test: lint
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "not slow"

test-slow: dev
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "slow and not whole"

# The settings that the long tests leave out.
test-whole: dev
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m whole

dev: $(STAMPS)/dev

lint: $(STAMPS)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMPS)/test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMPS)/test
	$(BIN)/python benchmarks/opportunity.py

# From nothing: pages that were built before are not looked at.
docs: $(STAMPS)/docs
	rm -rf build/docs
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --doctree-dir build/doctrees --fresh-env docs build/docs

# A paper again on the data at hand: make reproduce PAPER=ocef DATA=../shared/data; the page is build/reproduced/ocef.md.
# MORE adds options (python benchmarks/reproduce.py --help): MORE="--models build/deep/models", MORE=--quick.
PAPERS := fairrec jme reo ocef esa
DATA ?= ../shared/data

reproduce: paper-named $(STAMPS)/dev
	$(BIN)/python benchmarks/reproduce.py $(PAPER) --data $(DATA) $(MORE)

paper-named:
	@test -n "$(filter $(PAPERS),$(PAPER))" || { echo "Name a paper: make reproduce PAPER=..., one of $(PAPERS)"; exit 2; }

clean:
	rm -rf $(VENV) demo build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(STAMPS)/core: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable .
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/test: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable ".[dev]"
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/core

$(STAMPS)/docs: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable ".[docs]"
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/core

# Every extra. MLflow holds pyarrow below 26, so that the quick tests run with the newest and the long ones
# with the one before. pip, not uv: only pip finds the CPU build of torch where one is offered.
$(STAMPS)/dev: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable ".[dev,browser,spark,models,service,mlflow,wandb]"
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/core $(STAMPS)/test
