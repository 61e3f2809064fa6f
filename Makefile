# One command for each habit; `make help` tells them. The environment is .venv, made from the locks.

SHELL := /bin/sh
BIN := .venv/bin
CASES := ../shared/cases
.DEFAULT_GOAL := help

.PHONY: help setup setup-dev demo test test-long lint e2e bench cases eval-terms lock clean

help: ## tell what there is
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

# The environment is made again when the lock changes, and not otherwise. Each mark is a copy of its lock and is written last, so that a set-up
# that was cut short is done again; pip compiles the bytecode of what it installs.
.venv/.packages: requirements.lock
	@if cmp -s requirements.lock .venv/.packages && $(BIN)/python -c '' 2>/dev/null; then touch .venv/.packages; else \
	  for python in $(PYTHON) python3.12 python3.13 python3.11 python3 python; do \
	    if "$$python" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' >/dev/null 2>&1; then found="$$python"; break; fi; \
	  done; \
	  if [ -z "$$found" ]; then echo "Python 3.11, 3.12 or 3.13 with its venv module is needed; install one, or name it: make PYTHON=/path/to/python" >&2; exit 1; fi; \
	  echo "setting up .venv with $$($$found --version)"; \
	  rm -rf .venv && "$$found" -m venv .venv && \
	  $(BIN)/python -m pip install -qq --no-deps --require-hashes -r requirements.lock && \
	  cp requirements.lock .venv/.packages; \
	fi

.venv/.runtime: .venv/.packages pyproject.toml
	@$(BIN)/python -m pip install -qq --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q engine cache jobs bot
	@touch .venv/.runtime

.venv/.dev: .venv/.runtime requirements-dev.lock
	@cmp -s requirements-dev.lock .venv/.dev || $(BIN)/python -m pip install -qq --no-deps --require-hashes -r requirements-dev.lock
	@cp requirements-dev.lock .venv/.dev

setup: .venv/.runtime ## make .venv with what Almanac needs

setup-dev: .venv/.dev ## the same with what its makers need

demo: setup ## answer questions from the list of England's pharmacies
	@test -e almanac.toml || ln -s examples/pharmacies/almanac.toml almanac.toml
	$(BIN)/almanac index --catalog examples/pharmacies/almanac.toml
	$(BIN)/almanac ask --catalog examples/pharmacies/almanac.toml "which pharmacies are in Newmarket, give name and phone"
	$(BIN)/almanac ask --catalog examples/pharmacies/almanac.toml "how many pharmacies do we have in london"
	@echo
	@echo 'Your turn:  $(BIN)/almanac ask "..."   (almanac.toml here now points to the catalog of the pharmacies)'

test: setup-dev ## run the tests
	$(BIN)/python -m pytest

test-long: setup-dev ## who sees what, in over 10,000 draws by chance; jobs of two processes for a minute; 20 refreshes under questions
	ALMANAC_TEST_LONG=1 $(BIN)/python -m pytest tests/rights tests/jobs/test_scheduler.py tests/engine/test_library.py

lint: setup-dev ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/mypy

e2e: setup ## talk to the bot in a real client of Teams, in a browser (needs Node and Chromium)
	$(BIN)/python tests/e2e/run.py

bench: setup-dev ## measure times and memory
	$(BIN)/python tests/bench.py 23000 250000 1000000

cases: setup ## ask the sets of cases beside the checkout, and score the replies
	$(BIN)/python tests/score_cases.py $(CASES)

eval-terms: setup ## how often the right term is found: make eval-terms CASES=FILE
	$(BIN)/python tests/eval_terms.py $(CASES)

lock: ## choose versions anew (needs uv) and write them with their hashes
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --quiet \
	  --extra build -o requirements.lock pyproject.toml
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --quiet \
	  --extra build --extra dev -c requirements.lock -o requirements-dev.lock pyproject.toml

clean: ## take away .venv and what tools left
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
