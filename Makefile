# Every command there is. `make` alone lists them. Nothing else is needed on a fresh machine than make, a shell and Python 3.11+
# (or curl-able PyPI through pip): uv is installed into .venv-tools when it is missing.
SHELL := /bin/bash
.DEFAULT_GOAL := help
Q ?= Compare apixaban versus rivaroxaban in atrial fibrillation with chronic kidney disease (eGFR 30-50)
PYTHON ?= python3
BIN := .venv/bin
UV := $(shell command -v uv 2>/dev/null || echo .venv-tools/bin/uv)
STAMP := .venv/.synced
# Everything of ours that is installed: every folder with a pyproject.toml of its own.
PACKAGES := contracts $(sort $(patsubst %/pyproject.toml,%,$(wildcard packages/*/pyproject.toml services/*/pyproject.toml apps/*/pyproject.toml)))

.PHONY: help
help: ## list the commands
	@grep -hE '^[a-z][a-z-]*:.*##' $(MAKEFILE_LIST) | sort -u | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | awk -F'\t' '{printf "  make %-16s %s\n", $$1, $$2}'

# The question goes through the environment as it was typed: neither make nor the shell reads a $$, a quotation mark or a
# backtick in it.
unexport Q
.PHONY: ask
ask: export OPENWORK_QUESTION = $(value Q)
ask: setup ## answer a question: make ask Q="..."
	@$(BIN)/openwork ask $(ARGS) -- "$$OPENWORK_QUESTION"

.PHONY: setup
setup: $(STAMP) ## install everything into .venv (uv is fetched when it is missing)

$(STAMP): requirements/all.txt $(wildcard $(addsuffix /pyproject.toml,. $(PACKAGES)))
	@command -v $(UV) >/dev/null || ($(PYTHON) -m venv .venv-tools && .venv-tools/bin/pip -q install uv)
	@$(UV) venv -q --allow-existing --python $(PYTHON) .venv
	@$(UV) pip install -q --python $(BIN)/python --require-hashes -r requirements/all.txt
	@$(UV) pip install -q --python $(BIN)/python --no-deps $(foreach d,$(PACKAGES),-e $(d))
	@touch $(STAMP)

.PHONY: setup-dev
setup-dev: setup ## what the tests and the linters need besides
	@test .venv/.synced-dev -nt requirements/dev.txt || ($(UV) pip install -q --python $(BIN)/python --require-hashes -r requirements/dev.txt && touch .venv/.synced-dev)

# Where the environment says to keep no compiled files, each process of the tests, and each command that they start, would
# compile every module anew: half of what it takes to collect the tests.
check test test-slow test-processes test-mutations test-browser chaos: export PYTHONDONTWRITEBYTECODE =

.PHONY: test
test: setup-dev ## the test suite but for what is slow; needs no network, no key, no Docker
	@$(BIN)/pytest -n auto --dist worksteal -m "not processes and not triton and not phoenix and not containers and not browser and not slow" $(ARGS)

.PHONY: test-slow
test-slow: setup-dev ## what waits for seconds or starts commands: the command line, clients, floods, full disks (four minutes)
	@$(BIN)/pytest -n auto --dist worksteal -m "slow and not processes and not triton and not phoenix and not containers" $(ARGS)

.PHONY: test-processes
test-processes: setup-dev ## services as processes: killed at random moments, upgraded while at work (two minutes)
	@$(BIN)/pytest -m processes $(ARGS)

.PHONY: chaos
chaos: setup-dev ## services and nats-server killed, a full disk, three times too many questions (six minutes; ARGS=--short: two)
	@$(BIN)/python -m tests.chaos $(ARGS)

.PHONY: test-mutations
test-mutations: setup-dev ## faults put into copies of the code, one at a time: do the tests notice? (two minutes)
	@$(BIN)/python -m tests.mutations $(ARGS)

.PHONY: test-triton
test-triton: setup-dev ## the model repository on a real Triton server, scores against PyTorch's, whole runs (1.5 GB, installed apart)
	@bash scripts/triton-setup.sh $(UV)
	@bash scripts/export-setup.sh $(UV)
	@$(BIN)/pytest -m triton tests/integration $(ARGS)
	@$(BIN)/pytest tests/unit/reranker tests/unit/serving tests/unit/deploy/test_triton_configs.py $(ARGS)

.PHONY: test-browser
test-browser: setup-dev ## the web app in a real Chromium: asked, watched, cited, resumed, by keyboard, axe (skips without one)
	@$(BIN)/pytest -m browser $(ARGS)

.PHONY: test-phoenix
test-phoenix: setup-dev ## traces, annotations and an experiment read back from a real Phoenix (600 MB, installed apart)
	@scripts/phoenix.sh setup $(UV)
	@$(BIN)/pytest -m phoenix $(ARGS)

.PHONY: check
check: setup-dev ## before every change: format, lint, types, import rules, generated files, tests (CI does more: .ci/run)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(MAKE) --no-print-directory types
	@$(BIN)/lint-imports
	@$(BIN)/python -m openwork_contracts.schema --check
	@$(BIN)/python -m deploy.generate --check
	@$(BIN)/python -m openwork_contracts.client_models --check
	@$(MAKE) --no-print-directory test

.PHONY: types
types: setup-dev ## mypy, strict; of the tests: whether what they name is there
	@$(BIN)/mypy deploy tests $(foreach d,$(PACKAGES),$(wildcard $(d)/openwork*))

.PHONY: format
format: setup-dev ## format and mend what the linter can mend
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

.PHONY: schemas
schemas: setup ## write contracts/schemas, docs/asyncapi.json and the client's dataclasses anew
	@$(BIN)/python -m openwork_contracts.schema --write
	@$(BIN)/python -m openwork_contracts.client_models --write

.PHONY: new-service
new-service: setup-dev ## a service that works, to be changed into what is wanted: make new-service NAME=... (docs/adding-a-service.md)
	@$(BIN)/python -m deploy.new_service "$$NAME"

.PHONY: requirements
requirements: ## pin all dependencies with hashes, one file per service and one for all
	@bash scripts/pin.sh $(UV)

.PHONY: bench
bench: setup-dev ## measure speed and size, print the table
	@$(BIN)/python -m tests.bench $(ARGS)

.PHONY: eval
eval: setup-dev ## ask the evaluation questions and check what a good answer must mention
	@$(BIN)/python -m tests.eval.answers $(ARGS)

.PHONY: eval-fidelity
eval-fidelity: setup-dev ## what the verification gate catches, and its false alarms; ARGS=model where a key is set
	@$(BIN)/python -m tests.eval.fidelity $(or $(ARGS),scorecard)

.PHONY: eval-writing
eval-writing: setup-dev ## the gate against a writer with words of its own: true sentences that survive, false ones that pass
	@$(BIN)/python -m tests.eval.free_writing $(ARGS)

.PHONY: eval-ranking
eval-ranking: setup-dev ## ranking quality on the labelled sets
	@$(BIN)/python tests/eval/ranking/run.py $(ARGS)

.PHONY: calibrate-reranker
calibrate-reranker: setup-dev ## the least score worth reading, for the model a Triton server has, on the labelled sets; ARGS="--url ..."
	@$(BIN)/python tests/eval/ranking/calibrate.py $(ARGS)

.PHONY: eval-words
eval-words: setup-dev ## what the word lists let through and turn away; ARGS="--general FILE --show"
	@$(BIN)/python -m tests.eval.words $(ARGS)

.PHONY: eval-door
eval-door: setup-dev ## what becomes of real questions, attacks and labelled ones at the door: searched, or turned away and why; ARGS=--show
	@$(BIN)/python -m tests.eval.door $(ARGS)

.PHONY: eval-search
eval-search: setup-dev ## what the search finds of what published reviews included, rung by rung; ARGS=--misses or --clef
	@$(BIN)/python -m tests.eval.search $(ARGS)

.PHONY: eval-pdf
eval-pdf: setup-dev ## cells of PDF tables that the reader and pdfplumber get right, on tables typed by hand; ARGS=--apart
	@test build/pdf-eval/.synced -nt requirements/pdf-eval.txt || ($(UV) pip install -q --python $(BIN)/python --target build/pdf-eval --require-hashes \
	  -r requirements/pdf-eval.txt && touch build/pdf-eval/.synced)
	@PYTHONPATH=build/pdf-eval $(BIN)/python -m tests.eval.pdf_tables $(ARGS)

.PHONY: eval-intents
eval-intents: setup-dev ## what a question asks for: the rules against labelled wordings; ARGS=--show
	@$(BIN)/python -m tests.eval.intents $(ARGS)

.PHONY: eval-designs
eval-designs: setup-dev ## how a work was made, from its title alone: the rules against labelled titles; ARGS=--show or --held-out
	@$(BIN)/python -m tests.eval.designs $(ARGS)

.PHONY: eval-reading
eval-reading: setup-dev ## who a question is about: the reader against labelled questions; ARGS=--misses or --held-out
	@$(BIN)/python -m tests.eval.reading $(ARGS)

.PHONY: eval-silence
eval-silence: setup-dev ## 1,265 questions of others, library only: who is answered, and what a reader found of each; ARGS="--dump FILE"
	@$(BIN)/python -m tests.eval.silence $(ARGS)

.PHONY: eval-wordings
eval-wordings: setup-dev ## whether what is typed is known for what a trial prints, slot by slot; ARGS="outcomes --misses"
	@$(BIN)/python -m tests.eval.wordings $(ARGS)

.PHONY: eval-review
eval-review: setup-dev ## parts of a deep review: the order of screening on labelled sets; ARGS="--seeds 3", ARGS=tracks or published: what each search found alone
	@$(BIN)/python -m tests.eval.review $(ARGS)

.PHONY: eval-extraction
eval-extraction: setup-dev ## results read out of trials against what people read: right, wrong, not given; ARGS=--show, further, contradicted, direction or pico
	@$(BIN)/python -m tests.eval.extraction $(ARGS)

.PHONY: eval-prose
eval-prose: setup-dev ## results that real abstracts state against what the reader of sentences gives; ARGS=--show
	@$(BIN)/python -m tests.eval.prose $(ARGS)

.PHONY: eval-askable
eval-askable: setup-dev ## results of the library, each asked for in six ways: where reading fails; ARGS="--seed 7 --show"
	@$(BIN)/python -m tests.eval.askable $(ARGS)

.PHONY: eval-phoenix
eval-phoenix: setup-dev ## the evaluation questions as a dataset in Phoenix, a run of them as an experiment; ARGS="--url ... --stand-in"
	@OPENWORK_SOURCES=$${OPENWORK_SOURCES:-library} $(BIN)/python -m tests.eval.phoenix $(ARGS)

.PHONY: eval-costs
eval-costs: setup-dev ## tokens and dollars per answer at list price, against the local stand-in for the model services
	@$(BIN)/python -m tests.eval.costs $(ARGS)

.PHONY: triton
triton: setup ## Triton with the small models on this CPU, on loopback, until Ctrl-C; prints the settings to use it
	@bash scripts/triton-setup.sh $(UV)
	@$(BIN)/python -m deploy.triton.local $(ARGS)

.PHONY: bench-api
bench-api: setup-dev ## the web app: first bytes, first step, 200 readers of one run, mixed reads, the start
	@$(BIN)/python -m tests.bench_api $(ARGS)

.PHONY: bench-review
bench-review: setup-dev ## a whole deep review offline, 500 records a track, answers beside it; ARGS="--reviews 10"
	@$(BIN)/python -m tests.bench_review $(ARGS)

.PHONY: bench-triton
bench-triton: setup-dev ## pairs per second through Triton, torch and the bare model
	@$(BIN)/python -m tests.bench_triton $(ARGS)

.PHONY: bench-cpu
bench-cpu: setup-dev ## processor time of an answer, whole and by step
	@$(BIN)/python -m tests.bench_cpu $(ARGS)

.PHONY: bench-metrics
bench-metrics: setup-dev ## what the figures for Prometheus cost: a message, a reading, the import
	@$(BIN)/python -m tests.bench_metrics

.PHONY: bench-sources
bench-sources: setup-dev ## parsing, normalising and retrieving, against other libraries
	@$(BIN)/python -m tests.bench_sources $(ARGS)

.PHONY: bench-crowd
bench-crowd: setup-dev ## 1, 4 and 8 questions at once on NCBI's 3 requests a second, counted at a local server's door; ARGS="--key"
	@$(BIN)/python -m tests.bench_crowd $(ARGS)

.PHONY: bench-faults
bench-faults: setup-dev ## every fault of outside services at 1, 4 and 8 questions at once: sent, found, kept, lost and why; ARGS="--only 429,hang"
	@$(BIN)/python -m tests.bench_faults $(ARGS)

.PHONY: upstream
upstream: setup-dev ## a local server that speaks the outside APIs, with faults on demand
	@$(BIN)/python -m tests.fakes.upstream $(ARGS)

.PHONY: clean
clean: ## remove the environment and what tools left; the runs in the data folder stay
	@rm -rf .venv .venv-tools .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

include deploy/make/ops.mk
