# Thinkglass: `make run` starts the chat, `make test` passes the tests. Both make their own environment in .venv.

PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
# Chainlit opens a browser unless told not to; without a desktop that would be a text browser in this terminal.
HEADLESS := $(if $(or $(DISPLAY),$(WAYLAND_DISPLAY),$(filter Darwin,$(shell uname))),,--headless)

# Three at a time make the machine slow enough for a browser to miss its time: what failed there is judged by itself.
AGAIN := $(BIN)/pytest --last-failed --last-failed-no-failures=none

.PHONY: run test soak lint fix clean

run: $(VENV)/ready
	@echo "Thinkglass is starting on http://localhost:$(PORT)"
	@$(BIN)/chainlit run app.py --port $(PORT) $(HEADLESS)

test: $(VENV)/ready-dev
	@scripts/system-packages chromium fonts-noto-cjk bubblewrap postgresql nginx-light
	$(MAKE) --no-print-directory lint
	$(BIN)/pytest -m "not alone" --numprocesses=3 --dist=loadfile || $(AGAIN)
	$(BIN)/pytest -m alone

soak: $(VENV)/ready-dev
	@scripts/system-packages postgresql
	LONG_TESTS=1 $(BIN)/pytest tests/e2e/test_soak.py tests/e2e/test_killed.py

lint: $(VENV)/ready-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

fix: $(VENV)/ready-dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@scripts/system-packages python3-venv libgomp1 bubblewrap
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/ready: $(BIN)/python requirements.txt constraints.txt
	@echo "Installing Thinkglass into $(VENV) (once, a minute or two)"
	@$(BIN)/python -m pip install --quiet -r requirements.txt -c constraints.txt
	@touch $@

$(VENV)/ready-dev: $(VENV)/ready requirements-dev.txt
	@$(BIN)/python -m pip install --quiet -r requirements-dev.txt -c constraints.txt
	@touch $@
