# Every target works on a fresh clone and is safe to repeat.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
export PYTHONPATH :=
FUZZ_SECONDS ?= 60

.PHONY: help run test peers mutants fuzz check fmt docs dist bench results clean
.DEFAULT_GOAL := help

help:  ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(VENV)/.core: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[report]'
	@touch $@

$(VENV)/.dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.core

$(VENV)/.peers: pyproject.toml constraints-peers.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints-peers.txt -e '.[report,peers]'
	@touch $@ $(VENV)/.core

$(VENV)/.docs: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[report,docs]'
	@touch $@ $(VENV)/.core

$(VENV)/.release: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[release]'
	@touch $@

run: $(VENV)/.core  ## optimise the rocket simulator, print its Pareto front, write rocket-report.html
	$(BIN)/imoca demo

test: $(VENV)/.dev  ## run the whole test suite
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto

mutants: $(VENV)/.dev  ## minutes: sabotage the deciding code in hundreds of places, but where a known death still counts; each must turn its test red
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/mutants/run.py

fuzz: $(VENV)/.dev  ## a minute, or FUZZ_SECONDS: spoilt files, databases and requests by chance; seeds of findings are printed
	PYTHONPATH=tests OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m fuzz --seconds $(FUZZ_SECONDS)

peers: $(VENV)/.dev $(VENV)/.peers  ## run the tests of BoTorch's methods (installs torch)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto tests/lab/peers

check: $(VENV)/.dev  ## lint, formatting and strict types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fmt: $(VENV)/.dev  ## format the code and mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/.docs  ## the documentation as a site in build/site; fails on a warning, a dead link or a public name that is missing
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m website build/site

dist: $(VENV)/.release  ## wheel and sdist in dist, installed and tried where nothing can be compiled
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	PYTHON=$(PYTHON) .ci/try-distributions dist

bench: $(VENV)/.peers  ## minutes: a short comparison of methods, then CPU time per suggestion against BoTorch
	$(BIN)/imoca bench run experiments/short.toml
	$(BIN)/imoca bench report experiments/results/short -o experiments/results/short/report
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(BIN)/python experiments/suggestion_speed.py

results: $(VENV)/.core  ## the tables and figures of docs/results from the raw results in experiments/results
	for name in paper peers settings fronts trust constrained misleading; do $(BIN)/imoca bench report experiments/results/$$name -o docs/results/$$name || exit 1; done
	$(BIN)/python experiments/calibration/report.py
	$(BIN)/python experiments/verified.py

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
