# SPDX-License-Identifier: GPL-2.0
# How test_libresch.c is built: the library's sources, with the system calls that the test defines itself.
SRCS_test_libresch := $(LIBRESCH)

# Against a simulator that shares nothing with the library.
SRCS_test_libresch_assign := $(LIBRESCH) bench/study/slots.c

# And what else there is to check of libresch and reschctl without the module.
.DEFAULT_GOAL := all
check: check-library check-reschctl

check-library:
	$(MAKE) -C $(TOP)/libresch --no-print-directory O=$(OUT)/libresch all examples check-symbols

check-reschctl:
	$(MAKE) -C $(TOP)/tools --no-print-directory O=$(OUT)/tools check CFLAGS="-O1 -g $(SANITIZE)"

.PHONY: check-library check-reschctl
