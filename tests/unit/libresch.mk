# SPDX-License-Identifier: GPL-2.0
# The library's sources, with the system calls that the test's fake device defines itself.
SRCS_test_libresch := $(LIBRESCH) tests/unit/fake_device.c
SRCS_test_libresch_domain := $(LIBRESCH) tests/unit/fake_device.c
SRCS_test_libresch_guard := $(LIBRESCH) tests/unit/fake_device.c
SRCS_test_libresch_chain := $(LIBRESCH) tests/unit/fake_device.c
SRCS_test_libresch_page := $(LIBRESCH) tests/unit/fake_device.c
SRCS_test_libresch_tune := $(LIBRESCH) tests/unit/fake_device.c

# Against a simulator that shares nothing with the library.
$(foreach test,$(filter test_libresch_assign%,$(TESTS)), \
	$(eval SRCS_$(test) := $(LIBRESCH) bench/study/slots.c))

# What the library finds, the plugin has to admit.
SRCS_test_libresch_server := $(LIBRESCH) $(PLUGINS)

# Pure functions: nothing of the kernel is in the way.
$(foreach test,$(filter test_chain%,$(TESTS)),$(eval SRCS_$(test) ?= $(CHAINS)))

SRCS_test_libresch_fifo := libresch/fifo.c
LDFLAGS_test_libresch_fifo := -pthread

# Two threads without a lock: what one of them reads unordered is a race. Not where addresses are as
# random as some kernels have them.
RACES := $(OUT)/races/test_libresch_fifo
$(RACES): $(TOP)/tests/unit/test_libresch_fifo.c $(TOP)/libresch/fifo.c $(TOP)/libresch/resch-fifo.h
	@mkdir -p $(@D)
	$(CC) $(filter-out $(SANITIZE),$(UNIT_CFLAGS)) -O1 -g1 -fsanitize=thread -o $@ \
		$(filter %.c,$^) -pthread $(UNIT_LIBS)
check-races: $(RACES)
	setarch -R $<

# And what else there is to check of libresch and reschctl without the module.
.DEFAULT_GOAL := all
check: check-library check-reschctl check-races

check-library:
	$(MAKE) -C $(TOP)/libresch --no-print-directory O=$(OUT)/libresch all examples check-symbols

check-reschctl:
	$(MAKE) -C $(TOP)/tools --no-print-directory O=$(OUT)/tools check \
		CFLAGS="-O1 -g1 $(SANITIZE)"

.PHONY: check-library check-reschctl check-races
