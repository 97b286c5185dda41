# Containers, Kubernetes, traces. Included by the Makefile.

.PHONY: images
images: setup ## build the container images whose content changed, each once
	@scripts/up.sh build

.PHONY: scale
scale: ## more or fewer containers of a service: make scale ARGS="reranker=2"
	@scripts/up.sh scale $(ARGS)

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
manifests: setup-dev ## write anew whatever names services (NATS users, Compose, k8s/, lists, docs/settings.md), and render the chart
	@$(BIN)/python -m deploy.generate
	@bash scripts/tools.sh $(UV)
	@.tools-venv/bin/python -m deploy.render

.PHONY: check-deploy
check-deploy: setup-dev ## build and check every overlay, lint images, Compose, scripts and workflows
	@bash scripts/ci-deploy.sh $(UV)

.PHONY: test-containers
test-containers: setup-dev ## NATS, our images, Compose and Phoenix in containers; without an engine, what can be without
	@bash scripts/tools.sh $(UV)
	@bash scripts/test-containers.sh $(ARGS)

.PHONY: secrets
secrets: setup-dev ## keys and passwords in the files and in every commit (docs/supply-chain.md)
	@bash scripts/supply.sh secrets $(UV)

.PHONY: audit
audit: setup-dev ## known vulnerabilities of pins and images; says what it could not ask
	@bash scripts/supply.sh audit $(UV)

.PHONY: sbom
sbom: setup-dev ## lists of parts (CycloneDX) and licences of what is installed and of the images, in out/sbom
	@bash scripts/supply.sh sbom $(UV)

.PHONY: digests
digests: setup ## look up the digests of the base images and write them to deploy/docker/bases.env
	@$(BIN)/python -m deploy.supply.digests $(ARGS)

.PHONY: test-rules
test-rules: ## the alert rules: a bad hour and a good one played to them; needs promtool (Debian: the package prometheus)
	@promtool check rules deploy/observability/rules.yml
	@promtool test rules deploy/observability/rules_test.yml

.PHONY: measure
measure: setup ## memory and CPU of each service as a process
	@$(BIN)/python scripts/measure_services.py $(ARGS)
