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

H := tests/harness
OUT = $(abspath $(O))
# Folders under PREFIX that an install may have made; uninstall takes them away when they are empty.
FOLDERS := lib/udev/rules.d lib/udev lib/pkgconfig include/linux share/man/man3 share/man/man7 share/man/man8 \
	share/bash-completion/completions share/bash-completion share/zsh/site-functions share/zsh
ROOMS = $(patsubst %/Makefile,%,$(wildcard libresch/Makefile tools/Makefile))

.DEFAULT_GOAL := help
export KERNELS TESTS

help: ## this list
	@echo 'make TARGET [O=DIR] [KDIR=DIR] [KERNELS="6.1 7.2-rt"] [TESTS="NAME..."] [PREFIX= DESTDIR=]'
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

check-debug: ## guest tests in a kernel with KASAN and lockdep, which the first call compiles (20 minutes)
	@KERNELS=$${KERNELS:-6.1-kasan} $(H)/run.sh guest

lint: ## shellcheck, checkpatch, sparse, cppcheck, clang-format
	@$(H)/run.sh lint

demo: ## a few deadlines, with and without resch, in an emulated guest
	@$(H)/room.sh bench demo O=$(OUT)

bench: ## what resch costs, in the deterministic guest
	@$(H)/room.sh bench bench O=$(OUT)

install: ## modules through DKMS, library, tools and manuals into PREFIX
	@[ -n "$(DESTDIR)" ] || $(H)/setup.sh build
	@for room in $(ROOMS); do \
		$(MAKE) -C $$room O=$(OUT)/obj/$$room PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) all install || exit; \
	done
	install -D -m 644 tools/60-resch.rules $(DESTDIR)$(PREFIX)/lib/udev/rules.d/60-resch.rules
	$(H)/dkms.sh install "$(DESTDIR)"

uninstall: ## undo install
	$(H)/dkms.sh uninstall "$(DESTDIR)"
	rm -f $(DESTDIR)$(PREFIX)/lib/udev/rules.d/60-resch.rules
	@for room in $(ROOMS); do \
		$(MAKE) -C $$room O=$(OUT)/obj/$$room PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) uninstall || exit; \
	done
	@cd $(DESTDIR)$(PREFIX) && rmdir --ignore-fail-on-non-empty $(FOLDERS) 2>/dev/null || true

clean: ## remove build/
	rm -rf build

distclean: clean ## remove build/ and the cache of roots and kernels
	$(H)/root.sh --remove

.PHONY: help all modules user check check-unit check-guest check-debug lint demo bench install uninstall clean distclean
