# Containers, Kubernetes, traces. Included by the Makefile.

.PHONY: images
images: ## build every container image
	@scripts/up.sh build

.PHONY: up
up: setup ## the whole system: in containers where an engine answers, else as processes until Ctrl-C
	@ARGS="$(ARGS)" scripts/up.sh up

.PHONY: up-local
up-local: setup ## the web app, NATS and all services on this machine, until Ctrl-C
	@$(BIN)/openwork up $(ARGS)

.PHONY: down
down: ## stop the containers; the runs are kept
	@scripts/up.sh down

.PHONY: erase
erase: ## stop the containers and remove their data
	@scripts/up.sh erase

.PHONY: accounts
accounts: setup ## who may ask on a server that runs: make accounts ARGS="add ALICE" (docs/deployment.md, Accounts)
	@$(BIN)/openwork accounts $(ARGS)

.PHONY: phoenix
phoenix: setup ## start Phoenix on http://127.0.0.1:6006 in an environment of its own
	@scripts/phoenix.sh start $(UV)

.PHONY: phoenix-stop
phoenix-stop: ## stop it
	@scripts/phoenix.sh stop

.PHONY: manifests
manifests: setup-dev ## write anew whatever names services: NATS users, Compose, k8s/, lists, README's table, docs/settings.md
	@$(BIN)/python -m deploy.generate

.PHONY: check-deploy
check-deploy: setup-dev ## build and check every overlay, lint images and Compose; with an engine, ask through containers
	@bash scripts/ci-deploy.sh $(UV)

.PHONY: measure
measure: setup ## memory and CPU of each service as a process
	@$(BIN)/python scripts/measure_services.py $(ARGS)
