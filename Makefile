# Every target sets itself up: Python 3.11 or newer, and the package index, are all that is assumed.
#   make help        this list
#   make report      which SGLang models lack what the speculative workers ask of them (SGLANG=0.5.9, a path, a wheel)
#   make test        everything that .ci/run runs here: style, types, the direction of imports, and all tests
#   make test-fast   the tests for the edit loop (PYTEST='tests/graph -k super' for some of them)
#   make lint        style, types and the direction of imports alone
#   make primer      what the rules say of pinned releases, against what they said before (UPDATE=1 writes that anew)
#   make mutants     how many small mistakes in the rooms that decide the fast tests notice (MUTANTS='--sample 30')
#   make matrix      the fast tests with every Python that is here, and with the oldest dependencies
#   make site        README, docs and a page for each rule as a site in build/site
#   make bench       the times in docs, measured here
#   make corpora     every file of CORPORA="path/to/sglang some.whl" through facts, crashes and costs
#   make preflight-agreement  launches that nobody wrote, read and run (AGREEMENT='--seed 7 --number 50 0.5.9')
#   make attack      what strangers may send (files, names, wheels, caches, poor machines), with every Python that is here
#   make fuzz        inputs that a fuzzer thinks of, and trees that Python is asked about too, from a fixed seed
#   make smoke-test  against real SGLangs, in environments of 2.1 GB each that it makes
#   make clean       everything that these left behind

# The first interpreter that is new enough; `make PYTHON=... test` takes another.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
SGLANG ?= 0.5.9
FUZZ_FACTS ?= 200000
FUZZ_TREES ?= 2000
FUZZ_CLASSES ?= 20000
FUZZ_WORKERS ?= 2000
FIXTURE = fixtures/sglang_small/sglang
BIN = .venv/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check
# pip compiles what it installs, but not what it leaves where it is; Python does so at the first start, unless the
# environment forbids it (PYTHONDONTWRITEBYTECODE is usual in containers), and then at every start, for 0.2 s.
COMPILE = $(BIN)/python -m compileall -q specint

# The edit loop leaves out what reads real releases, and what starts pip, pylint, git or specint itself over and over.
EDIT_LOOP = not slow and not release and not browser and not smoke and not programs

.DEFAULT_GOAL = help
.PHONY: help report test test-fast lint primer site mutants matrix matrix-ci bench corpora attack fuzz clean smoke-env smoke-test \
	smoke-test-ci preflight-agreement
.DELETE_ON_ERROR:

help:
	@sed -n 's/^#   make /make /p' $(firstword $(MAKEFILE_LIST))


$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "specint needs Python 3.11 or newer (make PYTHON=path/to/python)" >&2; exit 1; }
	$(PYTHON) -m venv .venv

# The stamps are older than pyproject.toml as soon as it changes, and then the dependencies are looked at again.
.venv/installed: pyproject.toml | $(BIN)/python
	$(PIP) install --quiet --editable .
	@$(COMPILE)
	@touch $@

.venv/installed-dev: pyproject.toml | $(BIN)/python
	$(PIP) install --quiet $(if $(LOCK),--constraint $(LOCK)) --editable '.[dev]'
	@$(COMPILE)
	@touch $@ .venv/installed

# The JSON comes first: whether it could be made says which tree the matrix is about. Only a release that the index
# doesn't hand out is replaced by the fixture; any other failure is shown and ends the target.
report: .venv/installed
	@tree='$(SGLANG)'; status=0; \
	$(BIN)/specint report --sglang "$$tree" --format json > report.json || status=$$?; \
	if [ ! -s report.json ] && [ ! -e "$$tree" ] \
	   && ! $(PIP) --retries 0 --timeout 10 index versions sglang > /dev/null 2>&1; then \
	  echo "make report: SGLang $$tree can't be had from the package index (above), so this is the small tree in $(FIXTURE)"; \
	  tree='$(FIXTURE)'; status=0; \
	  $(BIN)/specint report --sglang "$$tree" --format json > report.json || status=$$?; \
	fi; \
	[ -s report.json ] || exit $$status; \
	$(BIN)/specint report --sglang "$$tree" || status=$$?; \
	echo "The same as JSON: report.json"; \
	exit $$status

lint: .venv/installed-dev
	@status=0; \
	for tool in 'ruff check --output-format concise .' 'ruff format --check .' 'mypy --strict specint' 'lint-imports --no-logo'; do \
	  echo "$$tool"; $(BIN)/$$tool || status=1; \
	done; \
	if command -v npm > /dev/null && $(MAKE) --no-print-directory tests/javascript/node_modules; then \
	  echo "eslint, tsc"; npm --prefix tests/javascript run --silent lint || status=1; \
	else \
	  echo "no Node.js, or no package index for it: the report's scripts are not looked at"; \
	fi; \
	exit $$status

tests/javascript/node_modules: tests/javascript/package-lock.json
	npm --prefix tests/javascript ci --silent --no-audit --no-fund
	@touch $@

# The tests run even when lint has something to say, so that one run shows everything; pytest's line is the last.
test: .venv/installed-dev
	@$(COMPILE)
	@status=0; \
	$(MAKE) --no-print-directory lint || { status=1; echo "make test: lint failed, see above; the tests run all the same"; }; \
	$(BIN)/python -m pytest -n 2 --dist worksteal $(PYTEST) || status=1; \
	exit $$status

test-fast: .venv/installed-dev
	@$(COMPILE)
	@$(BIN)/python -m pytest -q -n 2 --dist worksteal -m '$(EDIT_LOOP)' $(PYTEST)

# Takes a copy of the checkout, runs on one core, and is no part of CI.
mutants: .venv/installed-dev
	$(BIN)/python tests/mutants/run.py $(MUTANTS)

# Every rule over pinned releases against what is stored; UPDATE=1 writes that anew, for `git diff` to be read.
primer: .venv/installed-dev
	$(BIN)/python -m pytest -n 2 tests/primer $(if $(UPDATE),--update-golden) $(PYTEST)

# `make matrix NOX='-s tests-3.13 -- tests/cli'` runs a part. An interpreter that is missing is said and left out.
matrix: .venv/installed-dev
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/nox $(NOX)

# CI has the time for what differs between versions: the plugin under pylint, and whether the documents are the same. Its
# own Python has had all the tests.
matrix-ci: .venv/installed-dev
	NOX_OTHERS=1 PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/nox -- -q -n 2 tests/pylint_plugin/test_plugin.py tests/test_reproducible.py \
	  -k 'message_stands or says_what_check_says or two_processes or stdin or other_pythons'

site: .venv/installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python docs/site/build.py

bench: .venv/installed
	$(BIN)/python benchmarks/bench.py $(BENCH)

corpora: .venv/installed
	$(BIN)/python benchmarks/corpora.py $(CORPORA)

# `make attack ATTACK='--only ^wheels'` runs a part; without one the counts are written into docs/robustness.md.
attack: .venv/installed-dev
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/nox -t attack -- $(or $(ATTACK),--docs docs/robustness.md)

fuzz: .venv/installed-dev
	$(BIN)/python tests/fuzz/target.py facts -runs=$(FUZZ_FACTS) -seed=1 -max_len=1000
	$(BIN)/python tests/fuzz/target.py tree -runs=$(FUZZ_TREES) -seed=1 -max_len=2000 -len_control=0
	$(BIN)/python tests/fuzz/semantic.py $(FUZZ_CLASSES) $(FUZZ_WORKERS) 1

# The smoke tests run a real SGLang; each environment is about 2.1 GB, in the user's cache (or SPECINT_SMOKE_ENVS).
smoke-env: .venv/installed-dev
	$(BIN)/python tests/smoke/environments.py

smoke-test: smoke-env
	SPECINT_SMOKE_REQUIRED='0.5.9 0.5.23' $(BIN)/python -m pytest -m smoke tests/smoke $(PYTEST)

# CI has the time for one release.
smoke-test-ci: .venv/installed-dev
	$(BIN)/python tests/smoke/environments.py 0.5.9
	SPECINT_SMOKE_REQUIRED=0.5.9 $(BIN)/python -m pytest -m smoke tests/smoke -k 'not 0.5.23 and not overlapping' -n 2 --dist loadfile $(PYTEST)

# Reading beside running, in both environments and on two machines; where they differ, one of them is specint's fault.
preflight-agreement: smoke-env
	PYTHONPATH="$(CURDIR)" $(BIN)/python tests/smoke/test_launches.py $(AGREEMENT)

clean:
	rm -rf .venv .bench-venv .nox build dist report.json bench.json .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .mutants tests/javascript/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
