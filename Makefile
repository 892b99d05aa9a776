# Trapdial. `make demo` plays a simulated table; `make test` passes the everyday tests. Both set themselves up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# MADE: there is a virtual environment. BASE: it has what a player needs. READY: and what a developer needs.
MADE := $(VENV)/.made
BASE := $(VENV)/.base
READY := $(VENV)/.ready

# Byte code is kept beside the sources: tests that start the program again and again need not compile it each time.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: install install-dev demo test check format words picture twin-test kill-test crash-test fault-test hands-test bench soak evidence-short evidence clean

install: $(BASE)          ## only set up: the command is then .venv/bin/trapdial

install-dev: $(READY)     ## only set up, with the tools of developers

demo: $(BASE)             ## a simulated table in this terminal
	@$(BIN)/trapdial demo

test: $(READY)            ## everyday tests, two to three minutes on two cores
	$(BIN)/pytest -q -n auto --dist worksteal -m "not slow and not wired"

check: $(READY)           ## strict types, lint and one format over everything; the shape of the code in figures
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@$(BIN)/python -m tests.shape

format: $(READY)          ## bring everything into the one format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: rules-report
rules-report: $(READY)    ## which rules are cited in the program, in a test, nowhere
	@$(BIN)/python -m tests.rules_report

words: $(READY)           ## the list of marked strings, the catalogues of all languages and what is compiled from them
	$(BIN)/python -m tests.catalogues

.PHONY: lists
lists: $(READY)           ## the pages' lists of languages and chips, as the program has them
	$(BIN)/python -m tests.docs.lists

.PHONY: examples
examples: $(READY)        ## the example tables' wiring, written again
	$(BIN)/python -m tests.examples

.PHONY: man
man: $(READY)             ## the manual page, made of the commands' help
	$(BIN)/trapdial docs --man > wiring_docs/trapdial.1

picture: $(READY)         ## the docs' pictures and the sample report, made by the program itself
	$(BIN)/python -m tests.docs.demo_picture wiring_docs/demo.svg
	-$(BIN)/trapdial place check sample:SAMPLE-warren -o wiring_docs/placement.svg
	-$(BIN)/trapdial place check sample:SAMPLE-shrine -o wiring_docs/placement_artifacts.svg
	$(BIN)/python -m tests.docs.pictures.audit_sample wiring_docs/audit.svg wiring_docs/audit_sample.html
	-$(BIN)/trapdial doctor --settings pi_app/settings/examples/table-2x2.toml --simulated --seconds 0.2 \
		--fault T02=unplugged --fault T01=magnet-weak -o wiring_docs/doctor.svg
	$(BIN)/python -m tests.docs.pictures.printed_parts wiring_docs/printed
	$(BIN)/python -m tests.docs.pictures.hand_curves
	-$(BIN)/python -m tests.docs.pictures.phones wiring_docs/demo_pages.png
	-$(BIN)/python -m tests.docs.pictures.station_display
	-$(BIN)/python -m tests.docs.pictures.first_look
	-$(BIN)/python -m tests.pages.pictures

twin-test: $(READY)       ## 1000 random games, each played twice over other tables
	TRAPDIAL_TWIN_GAMES=1000 TRAPDIAL_PACKET_GAMES=60 $(BIN)/pytest -q -n auto tests/test_twin_games.py

kill-test: $(READY)       ## the program really killed, 60 times
	TRAPDIAL_KILLS=60 $(BIN)/pytest -q -n auto tests/test_kill.py

.PHONY: attack-test fuzz-test
attack-test: $(READY)     ## what outsiders try; 10^5 attacked records before both verifiers, 10^5 mutated enrolments; 10^6 hostile inputs before every reader
	TRAPDIAL_ENROLMENTS=100000 TRAPDIAL_HISTORIES=60 $(BIN)/pytest -q -n auto --dist worksteal tests/attack
	TRAPDIAL_PACKET_GAMES=20 $(BIN)/pytest -q -n 2 tests/test_twin_games.py -k packet
	TRAPDIAL_ATTACKS=100000 $(BIN)/pytest -q -n auto tests/pi_app/journal/record/test_attacks.py
	TRAPDIAL_PACKAGES=100000 $(BIN)/pytest -q -n auto tests/attack/test_updates.py
	$(BIN)/python -m tests.attack.hostile --special
	$(BIN)/python -m tests.attack.hostile --inputs 1000000

HOSTILE := tests/pi_app/journal/test_hostile_journals.py tests/pi_app/audit/test_hostile_events.py

fuzz-test: $(READY)       ## 10^6 hostile files before everything that reads a journal
	TRAPDIAL_FUZZ=1000000 $(BIN)/pytest -q -n auto $(HOSTILE)
	TRAPDIAL_FUZZ=100000 $(BIN)/pytest -q -n auto tests/pi_app/plans/placement/test_hostile_maps.py

.PHONY: hub-test
hub-test: $(READY)        ## a hub's firmware: 10^6 mutated lines, damaged wires, memory over 200,000 reports
	TRAPDIAL_FUZZ_LINES=1000000 TRAPDIAL_HUB_DAMAGED=5000 $(BIN)/pytest -q -n auto tests/firmware_host/hub tests/firmware_host/sims

.PHONY: hub-fuzz-test
hub-fuzz-test: $(READY)   ## 10^6 mutated lines and 10^6 damaged reports before the Pi's end of a hub's wire
	TRAPDIAL_FUZZ_LINES=1000000 $(BIN)/pytest -q -n auto tests/firmware_host/test_hostile_lines.py tests/pi_app/workshop/bench/test_hub.py

crash-test: $(READY)      ## the power cut 10^5 times, at every place of recorded games
	$(BIN)/python -m tests.crash --points 100000

.PHONY: station-cuts
station-cuts: $(READY)    ## the power of a station cut 10^5 times, at every place where its state folder changes
	$(BIN)/python -m tests.station.cuts --points 100000 --each 6000 --progress

.PHONY: station-disks station-soak
station-disks: $(READY)   ## a disk that refuses, from each of a hundred of a station's writes on, three kinds of refusal
	$(BIN)/python -m tests.station.disks --points 100

station-soak: $(READY)    ## seven simulated days of a station without faults: no restart
	$(BIN)/python -m tests.station.soak --days 7

.PHONY: kernel-test kernel-test-short
kernel-test: $(READY)     ## a real Linux kernel with real drivers, over simulated chips: tests/kernel/README.md
	$(BIN)/python -m tests.kernel

kernel-test-short: $(READY)
	$(BIN)/python -m tests.kernel --short

.PHONY: arm-test arm-test-short
arm-test: $(READY)        ## Debian for arm64 on an emulated processor, compared with this machine: tests/arm/README.md
	$(BIN)/python -m tests.arm

arm-test-short: $(READY)
	$(BIN)/python -m tests.arm --short

.PHONY: pi-test
pi-test: $(READY)         ## doctor, calibrate and play on an emulated Pi 3 with the kernel's own I2C driver: tests/pi/README.md
	$(BIN)/python -m tests.pi

.PHONY: station-test station-test-short
station-test: $(READY)    ## systemd in a guest, with the real package and the plug pulled 200 times: tests/station/guest/README.md
	$(BIN)/python -m tests.station.guest

station-test-short: $(READY)
	$(BIN)/python -m tests.station.guest --short

.PHONY: station-groups station-idle station-lanes-short
station-groups: $(READY)  ## 10,000 groups of robot visitors in a row while faults strike: two hours; and 20 kills of a real page process
	$(BIN)/python -m tests.station.groups --groups 10000 --progress
	$(BIN)/python -m tests.station.page_kills --kills 20

station-idle: $(READY)    ## 10^4 random schedules against the idle timer, whole visits, pushed dials; the guide; what is left of a group
	$(BIN)/python -m tests.station.idle --schedules 10000
	$(BIN)/python -m tests.station.idle --stations 100
	$(BIN)/python -m tests.station.idle --pushes 1000
	$(BIN)/python -m tests.station.guided --visitors 100
	$(BIN)/python -m tests.station.leftovers

station-lanes-short: $(READY)
	$(BIN)/python -m tests.station.groups --groups 45
	$(BIN)/python -m tests.station.page_kills --kills 1 --seed 2
	$(BIN)/python -m tests.station.idle --schedules 1000
	$(BIN)/python -m tests.station.idle --pushes 20
	$(BIN)/python -m tests.station.guided --visitors 5
	$(BIN)/python -m tests.station.leftovers
	$(BIN)/python -m tests.station.soak --days 0.03

.PHONY: pages-test pages-test-short
pages-test: $(READY)      ## phones: three browsers, then captures, timing, canaries, crowds and losses in network namespaces: tests/pages/README.md
	TRAPDIAL_MESSAGES=1000000 $(BIN)/pytest -q -n 2 tests/pages tests/pi_app/pages
	$(BIN)/python -m tests.pages
	$(BIN)/trapdial bench pages

pages-test-short: $(READY)
	$(BIN)/python -m tests.pages --short

.PHONY: centre-test centre-test-short centre-load
centre-test: $(READY)     ## attacks, kills, power cuts, canaries, backups, foreign witnesses, bad networks and load before a centre: tests/centre/README.md
	$(BIN)/python -m tests.centre

centre-test-short: $(READY)
	$(BIN)/python -m tests.centre --short

centre-load: $(READY)     ## 500 tables at one centre, and 500 that come back with 10^4 entries each
	$(BIN)/trapdial bench centre --strict

.PHONY: deb package-test package-test-short
deb: $(READY)             ## the Debian packages for amd64 and arm64, signed, in build/: wiring_docs/station.md
	$(BIN)/python -m pi_app.station.package

package-test: $(READY)    ## both packages built, installed, used, upgraded, killed and removed in clean Debian systems; updates cut everywhere
	$(BIN)/python -m tests.station.package
	$(BIN)/python -m tests.station.update_cuts

package-test-short: $(READY)
	$(BIN)/python -m tests.station.package --short
	$(BIN)/python -m tests.station.update_cuts --short

.PHONY: fresh-test fresh-test-short
fresh-test: $(READY)      ## `make demo` and `make test` in bare Debian 12 and 13, with no package cached: for a user in a home folder, and for root
	$(BIN)/python -m tests.fresh

fresh-test-short: $(READY)
	$(BIN)/python -m tests.fresh --short

bench: $(READY)           ## every figure, with this machine's name
	$(BIN)/trapdial bench scan
	$(BIN)/trapdial bench clicks
	$(BIN)/trapdial bench latency
	$(BIN)/trapdial bench memory
	$(BIN)/trapdial bench cpu
	$(BIN)/trapdial bench start
	$(BIN)/trapdial bench journal
	$(BIN)/trapdial bench wiring
	$(BIN)/trapdial bench peers
	$(BIN)/trapdial bench hub
	$(BIN)/trapdial bench pages
	$(BIN)/trapdial bench centre

soak: $(READY)            ## 10^7 samples while faults are injected: days of a table's life in minutes
	$(BIN)/trapdial bench soak --strict

fault-test: $(READY)      ## 10^7 samples with every fault of the twins at random
	$(BIN)/trapdial bench clicks --clicks 100000 --samples 10000000 --turns 0 --jumps 0 --jobs 2 --strict

hands-test: $(READY)      ## 10^6 ordinary turns of every kind of hand, and 10^6 jumps of each kind
	$(BIN)/trapdial bench clicks --clicks 0 --samples 0 --turns 1000000 --jumps 1000000 --jobs 2 --strict
	$(BIN)/trapdial bench clicks --clicks 0 --samples 0 --turns 16000 --jumps 0 --wired --jobs 2 --strict

LONGER := --ignore=tests/pi_app/workshop/bench/test_known_turns.py tests

evidence-short: $(READY)  ## what CI adds to the everyday tests
	TRAPDIAL_TWIN_GAMES=120 $(BIN)/pytest -q -n auto tests/test_twin_games.py
	TRAPDIAL_EXAMPLES=100 TRAPDIAL_KILLS=16 TRAPDIAL_HUB_REPORTS=20000 TRAPDIAL_ENGINES=1 $(BIN)/pytest -q -n auto --dist worksteal -m slow $(LONGER)
	TRAPDIAL_EXAMPLES=100 $(BIN)/pytest -q -n auto -m "hypothesis and not slow" tests
	TRAPDIAL_ATTACKS=2000 $(BIN)/pytest -q -n auto tests/pi_app/journal/record/test_attacks.py
	TRAPDIAL_ENROLMENTS=5000 $(BIN)/pytest -q -n auto tests/attack/test_enrolments.py
	TRAPDIAL_PACKAGES=3000 $(BIN)/pytest -q -n auto tests/attack/test_updates.py
	TRAPDIAL_REPLUGS=4000 $(BIN)/pytest -q -n auto tests/pi_app/dials/test_tile_check.py
	TRAPDIAL_FUZZ=6000 $(BIN)/pytest -q -n auto $(HOSTILE)
	$(BIN)/python -m tests.attack.hostile --inputs 20000
	TRAPDIAL_FUZZ=5000 TRAPDIAL_MAPS=300 $(BIN)/pytest -q -n auto tests/pi_app/plans/placement
	$(BIN)/python -m tests.crash --points 3000
	$(BIN)/python -m tests.station.cuts --points 500
	$(BIN)/python -m tests.station.disks --points 2
	$(MAKE) kernel-test-short arm-test-short pages-test-short centre-test-short station-lanes-short station-test-short package-test-short fresh-test-short
	$(BIN)/trapdial bench clicks --clicks 100000 --samples 1000000 --turns 0 --jumps 10000 --jobs 2 --strict
	$(BIN)/trapdial bench clicks --clicks 0 --samples 0 --turns 16000 --jumps 0 --jobs 2 --strict
	$(BIN)/trapdial bench scan --strict
	$(BIN)/trapdial bench latency
	$(BIN)/trapdial bench memory
	$(BIN)/trapdial bench start
	$(BIN)/trapdial bench wiring
	$(BIN)/trapdial bench peers --scans 300
	$(BIN)/trapdial bench pages
	$(BIN)/trapdial bench soak --samples 400000 --strict

evidence: $(READY)        ## the long run: 10^7 clicks and faults, 1000 twin games, 60 kills, 10^5 attacks and power cuts, 10^6 hostile files
	$(MAKE) twin-test kill-test crash-test kernel-test arm-test pages-test centre-test attack-test fuzz-test hub-test hub-fuzz-test
	$(MAKE) station-cuts station-groups station-idle station-soak station-test package-test fresh-test
	TRAPDIAL_EXAMPLES=1000 $(BIN)/pytest -q -n auto -m hypothesis tests
	TRAPDIAL_REPLUGS=40000 $(BIN)/pytest -q -n auto tests/pi_app/dials/test_tile_check.py
	$(BIN)/trapdial bench clicks --clicks 10000000 --samples 10000000 --strict
	$(MAKE) hands-test soak

# The Python that the venv is made with, as `3.11 /usr`; and on a Pi, where lgpio comes from the system (apt install
# python3-lgpio), the option that lets the venv see it. When either has changed, the venv is made again.
SYSTEM := $(shell "$(PYTHON)" -c 'import sys; print(sys._base_executable)')
WHICH := import sys; print("%d.%d" % sys.version_info[:2], sys.base_prefix)
MAKER := $(shell "$(SYSTEM)" -c '$(WHICH)')
SEES := $(shell "$(SYSTEM)" -c 'import importlib.util as u; print("--system-site-packages" * bool(u.find_spec("lgpio")))')

ifneq ($(strip $(MAKER) $(SEES)),$(shell cat $(MADE) 2>/dev/null))
.PHONY: $(MADE)
endif

# A venv of another Python is emptied first; what else lies in its folder stays (.ci/micropython).
$(MADE):
	@echo "Making the virtual environment $(VENV): Python $(strip $(MAKER) $(SEES))"
	@[ "$$($(BIN)/python -c '$(WHICH)' 2>/dev/null)" = "$(MAKER)" ] || rm -rf $(addprefix $(VENV)/,bin include lib lib64)
	@"$(SYSTEM)" -m venv $(SEES) $(VENV)
	@echo $(strip $(MAKER) $(SEES)) > $@

# Exactly the locked files are installed, and then Trapdial with nothing but them: so pip says what the lock lacks. What
# builds Trapdial is among them. LOCKED=no takes the newest that pyproject.toml allows: for machines that the lock has no
# wheels for, and to see what comes. pip shows its own progress where somebody watches.
LOCKED := yes
PIP := [ -t 1 ] || quiet=--quiet; $(BIN)/pip install $$quiet --disable-pip-version-check
NO_FILES := echo "pip could not install the locked versions, and says why above. LOCKED=no installs the newest instead."
NO_LOCK := echo "The lock does not fulfil pyproject.toml: pip says why above. Type: make lock"

ifeq ($(LOCKED),no)
install_from = @$(PIP) -e $(2)
else
define install_from
@$(PIP) --require-hashes --no-deps -r $(1) || { $(NO_FILES); exit 1; }
@$(PIP) --no-index --no-build-isolation -e $(2) || { $(NO_LOCK); exit 1; }
endef
endif

$(BASE): $(MADE) pyproject.toml requirements.txt
	@echo "Installing Trapdial into $(VENV), for players: 14 MB to fetch, 90 MB on the disk, about half a minute (a Pi takes longer)"
	$(call install_from,requirements.txt,.)
	@touch $@

$(READY): $(MADE) pyproject.toml requirements-dev.txt
	@echo "Installing Trapdial into $(VENV), for developers: 80 MB to fetch, 350 MB on the disk, one to three minutes"
	$(call install_from,requirements-dev.txt,'.[dev]')
	@touch $(BASE) $@

# uv locks every Python and machine at once, with the hashes of all their files, which pip cannot; its makers keep it
# for just this. It is not installed otherwise, and runs also while the lock fulfils nothing.
LOCKERS := uv==0.13.9 packaging==26.4

# The lock says what is installed; this says what comes: CI runs the short form, as a warning.
.PHONY: test-newest test-newest-short
test-newest: $(READY)     ## everyday tests with the newest of everything that is allowed: which fail, which package moved
	$(BIN)/python -m tests.newest

test-newest-short: $(READY)
	$(BIN)/python -m tests.newest --short --warn

.PHONY: lock
lock: $(MADE)             ## the newest versions of everything that is installed here, locked with their hashes
	@$(PIP) --upgrade --target $(VENV)/lock $(LOCKERS)
	PYTHONPATH=$(VENV)/lock $(BIN)/python -m tests.lock --uv $(VENV)/lock/bin/uv

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
