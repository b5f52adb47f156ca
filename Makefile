# SPDX-License-Identifier: GPL-2.0
#
# The top of the tree: what one can ask for. The work is done in the rooms'
# Makefiles and in tests/harness.

# Where products go: build/host for this machine, build/KERNEL for the supported
# kernels. Nothing is written next to the sources.
O ?= build/host
KDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local
KERNELS ?=
TESTS ?=
SECONDS ?= 600
SEED ?= $(shell date +%s)
TORTURE ?=
TRACE ?=
VIEWER ?=
KEY ?=

H := tests/harness
OUT = $(abspath $(O))

.DEFAULT_GOAL := help
export KERNELS TESTS V
# bash counts its own
unexport SECONDS

help: ## this list
	@echo 'make TARGET [O=DIR] [KDIR=DIR] [KERNELS="6.1 7.2-rt"] [TESTS="NAME..."]' \
		'[PREFIX= DESTDIR=]'
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | \
		while IFS='	' read -r t d; do printf '  %-14s %s\n' "$$t" "$$d"; done

all: modules user ## modules for the running kernel, and the programs

modules: ## kernel modules for the headers in KDIR (default: the running kernel's)
	$(H)/kbuild.sh $(KDIR) $(OUT)

user: ## library, tools, and test programs
	$(H)/user.sh $(OUT)

check: ## everything: lint, unit tests, guest tests on every supported kernel
	@$(H)/run.sh lint unit guest

check-unit: ## unit tests on this machine
	@$(H)/run.sh unit

check-guest: ## tests in emulated guests: KERNELS="6.1 7.2-rt" TESTS="NAME..."
	@$(H)/run.sh guest

check-debug: ## guest tests in debug kernels, which are compiled once: KERNELS="6.12-rt-kasan"
	@KERNELS=$${KERNELS:-6.1-kasan} $(H)/run.sh guest

coverage: ## which lines of the modules the guest tests reach: KERNELS="6.1" TESTS="NAME..."
	@$(H)/coverage.sh $(or $(firstword $(KERNELS)),6.1) $(TESTS)

torture: ## all at once and at random: KERNELS=... SECONDS=600 SEED=... TORTURE="--processes 20"
	@KERNELS="$${KERNELS:-6.1}" TESTS=torture RESCH_TEST_LIMIT=$$(($(SECONDS) * 6 + 600)) \
		RESCH_GUEST_TIMEOUT=$$(($(SECONDS) * 7 + 900)) \
		TORTURE="--strict --hotplug --seconds $(SECONDS) --seed $(SEED) $(TORTURE)" \
		$(H)/run.sh guest

campaign-chains: ## INSTANCES=10000 of chains by each protocol, KILLS=1000 of stages: KERNELS=...
	@KERNELS="$${KERNELS:-6.1}" TESTS="$(or $(TESTS),chain_long chain-run)" \
		RESCH_TEST_LIMIT=10000 \
		RESCH_GUEST_TIMEOUT=20000 RESCH_INSTANCES=$(or $(INSTANCES),10000) \
		RESCH_KILLS=$(or $(KILLS),1000) $(H)/run.sh guest

lint: ## shellcheck, checkpatch, sparse, cppcheck, clang-format
	@$(H)/run.sh lint

demo: ## a few deadlines, with and without resch, in an emulated guest
	@$(H)/room.sh bench demo O=$(OUT)

kernelshark: ## what make demo has recorded, in KernelShark (TRACE=FILE: another recording)
	@tools/demo/kernelshark $(TRACE)

timeline: ## the same in a browser (TRACE=FILE: another recording)
	@VIEWER="$(VIEWER)" tools/demo/timeline $(TRACE)

bench: ## what resch costs, in the deterministic guest
	@$(H)/room.sh bench bench O=$(OUT)

install: ## modules through DKMS, library, tools and manuals into PREFIX (V=1: show commands)
	@$(H)/install.sh install "$(PREFIX)" "$(OUT)" "$(DESTDIR)"

uninstall: ## undo install, whatever is there of it
	@$(H)/install.sh uninstall "$(PREFIX)" "$(OUT)" "$(DESTDIR)"

# Needs build-essential, debhelper, dh-dkms, libjson-c-dev, libyaml-dev, libtracefs-dev,
# libtraceevent-dev, clang, bpftool, libbpf-dev, libncurses-dev, libkshark-dev, libglu1-mesa-dev,
# qt6-base-dev; of bookworm qtbase5-dev.
deb: ## Debian packages, in O/deb (debian/control says what that needs)
	@$(H)/deb.sh $(OUT)

deb-check: ## those packages, built, installed, used, upgraded, purged in a clean root of SUITE
	@$(H)/deb.sh --test $(or $(SUITE),trixie)

dist: ## a release of HEAD: O/dist/resch-VERSION.tar.gz with its checksum, signed by KEY
	@$(H)/dist.sh $(OUT) $(KEY)

boot-check: ## packages in a fresh root, a service in real time, a reboot: KERNELS="6.1 6.12 7.2"
	@$(H)/boot.sh $(KERNELS)

secureboot-check: ## signed modules, and others, with Secure Boot on: KERNELS="6.1 6.12"
	@$(H)/secureboot.sh $(KERNELS)

clean: ## remove build/
	rm -rf build

distclean: clean ## remove build/ and the cache of roots and kernels
	$(H)/root.sh --remove

.PHONY: help all modules user check check-unit check-guest check-debug coverage torture \
	campaign-chains lint \
	demo kernelshark timeline bench install uninstall deb deb-check dist \
	boot-check secureboot-check clean distclean
