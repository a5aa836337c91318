PYTHON ?= python3
VENV ?= .venv
SECONDS ?= 60
SEED ?= 0

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test test-long test-quick fuzz bench lint types clean

# The main job: print a gradient, transpile it, train on handwritten digits with it.
demo: $(VENV)/.examples
	$(BIN)/python examples/digits.py

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not long"

# What make test leaves out: the long walks, and other forms of each derivative
test-long: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal --second-step

# What the files that differ from the main branch touch, nearest first, for a minute
test-quick: $(VENV)/.dev
	$(BIN)/python -m tests.touched

# Random programs: make fuzz SECONDS=600 SEED=1; with FUZZ=--stores they write into
# arrays, with FUZZ=--containers they change lists, dicts and objects, with
# FUZZ=--attempts try statements stand in one another, with FUZZ=--slices lengths aren't
# known, with FUZZ=--numba the backend is Numba's, with FUZZ=--keep-calls no call is
# written out, with FUZZ=--keep-structures no structure is taken apart, with
# FUZZ=--lists arguments are containers of 0 to 1,000 items, with FUZZ=--one each is
# checked in one derivative only
fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS) --seed $(SEED) $(FUZZ)

# The peers in C++ are compiled where their packages are installed (benchmarks/README.md)
bench: $(VENV)/.bench
	-$(BIN)/python -m benchmarks.cplusplus.make
	$(BIN)/python benchmarks/run.py

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/python -m mypy

clean:
	rm -rf $(VENV) build dist *.egg-info examples/output

# Stamps: an environment is brought up to date when pyproject.toml is newer.
$(VENV)/.examples: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[examples]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[dev,examples]'
	@touch $@

$(VENV)/.bench: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[bench,examples]'
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) \
	else "Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
