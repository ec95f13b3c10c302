# SPDX-License-Identifier: Apache-2.0
# Every target does all of its set-up and is safe to repeat; `make` lists them.

BUILD := build/release
JOBS  ?= $(shell nproc)

.DEFAULT_GOAL := help
.PHONY: help demo test bench build format clean

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

demo: ## Read the text in a picture with a real model (SEED=n for other text)
	@scripts/build.sh demo $(BUILD) $(JOBS) core/all plugins/all python/all
	@.venv/bin/python -m examples.ocr_demo $(if $(SEED),--seed $(SEED))

test: ## Build and run every test
	@scripts/build.sh test $(BUILD) $(JOBS) all
	@scripts/test.sh $(BUILD) $(JOBS)

bench: ## Compare Cuvil with its peers, side by side
	@scripts/build.sh bench $(BUILD) $(JOBS) core/all plugins/all python/all bench/probes/all
	@.venv/bin/python -m bench

build: ## Set up and build everything, without running anything
	@scripts/build.sh test $(BUILD) $(JOBS) all

format: ## Format the C and C++ files in place
	@git ls-files -z '*.h' '*.c' '*.cpp' | xargs -0 -r clang-format-19 -i

clean: ## Remove what was built; .venv and caches stay
	rm -rf build
	find python -name '*.so' -delete
