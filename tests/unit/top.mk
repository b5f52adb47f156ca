# SPDX-License-Identifier: GPL-2.0
# reschtop's arithmetic, without the kernel; and what it says where the kernel lacks something.
TOP_ROOM := $(TOP)/tools/top
SRCS_test_top_histogram := tools/top/percentile.c

$(OUT)/obj/tests/unit/test_top_%.o: UNIT_CFLAGS += -I$(TOP_ROOM)

check: check-top

check-top:
	$(MAKE) -C $(TOP_ROOM) --no-print-directory O=$(OUT)/top CFLAGS="-O1 -g $(SANITIZE)" all
	RESCHTOP=$(OUT)/top/reschtop $(TOP)/tests/unit/test_top.py

.PHONY: check-top
