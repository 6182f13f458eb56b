# make demo: set up the runtime alone and solve a real example.   make test: set up everything and run the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
CHECKED := layoutsolver models backends tests benchmarks notebooks

.PHONY: demo setup test lint format bench fuzz clean

demo: $(VENV)/.runtime
	$(BIN)/layoutsolver solve examples/quantised_softmax.mlir --table
	$(BIN)/layoutsolver solve examples/quantised_softmax.mlir --layouts

setup: $(VENV)/.development

test: $(VENV)/.development
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/.development
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/mypy

format: $(VENV)/.development
	$(BIN)/ruff format $(CHECKED)
	$(BIN)/ruff check --fix $(CHECKED)

bench: $(VENV)/.development
	$(BIN)/python -m benchmarks.solve
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.verify
	$(BIN)/python -m benchmarks.vmi
	$(BIN)/python -m benchmarks.vmi_limits
	$(BIN)/python -m benchmarks.fusion
	$(BIN)/python -m benchmarks.vmi_facts
	$(BIN)/python -m benchmarks.service
	$(BIN)/python -m benchmarks.placement --count 500

fuzz: $(VENV)/.development
	$(BIN)/python -m tests.support.fuzz_peer --count 5000
	$(BIN)/python -m tests.support.fuzz_verify --count 2000
	$(BIN)/python -m tests.support.fuzz_verify --count 5000 --wide --size 6 --plain-parts
	$(BIN)/python -m tests.support.fuzz_verify --count 2000 --lower 1.2.0
	$(BIN)/python -m tests.support.fuzz_verify --count 2000 --lower master --plain-parts
	$(BIN)/python -m tests.support.fuzz_verify --count 5000 --wide --size 6 --lower master --plain-parts
	$(BIN)/python -m tests.support.fuzz_verify --count 2000 --lower 1.2.0 --compat upstream
	$(BIN)/python -m tests.support.fuzz_verify --count 500 --lower master --repairs
	$(BIN)/python -m tests.support.fuzz_vmi --count 1000
	$(BIN)/python -m tests.support.fuzz_vmi --count 1000 --deep
	$(BIN)/python -m tests.support.bank_programs --count 1000
	$(BIN)/python -m tests.support.bank_programs --count 100 --deep
	$(BIN)/python -m tests.support.fuzz_readback --count 1000
	$(BIN)/python -m tests.support.fuzz_buckyball --count 500
	$(BIN)/python -m tests.support.fuzz_buckyball --table intr llvm riscv
	$(BIN)/python -m tests.support.fuzz_fusion --count 5000
	$(BIN)/python -m tests.support.fuzz_fusion_plans --count 5000
	$(BIN)/python -m tests.support.fuzz_service --count 10000

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -m venv $(VENV) || { \
	  rm -rf $(VENV); \
	  echo "this Python cannot make virtual environments; on Debian: apt-get install python3-venv" >&2; exit 1; }
	$(PIP) --upgrade pip

$(VENV)/.runtime: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable .
	@touch $@

$(VENV)/.development: $(VENV)/.runtime
	$(PIP) --group dev
	@$(PIP) --group peer || echo "the production analyzer has no wheel for this machine: its tests will be skipped"
	@touch $@
