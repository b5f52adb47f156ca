# SPDX-License-Identifier: GPL-2.0
# reschtop's arithmetic, without the kernel; and what it says where the kernel lacks something.
TOP_ROOM := $(TOP)/tools/top
SRCS_test_top_histogram := tools/top/percentile.c
SRCS_test_top_look := tools/top/look.c
SRCS_test_top_view := $(addprefix tools/top/,bars.c canvas.c percentile.c view.c)

$(OUT)/obj/tests/unit/test_top_%.o $(OUT)/obj/tools/top/%.o: UNIT_CFLAGS += -D_GNU_SOURCE \
	$(addprefix -I$(TOP)/,tools/top tools/reschctl tools/reschctl/common module/include)

check: check-top

check-top:
	$(MAKE) -C $(TOP_ROOM) --no-print-directory O=$(OUT)/top CFLAGS="-O1 -g1 $(SANITIZE)" all
	RESCHTOP=$(OUT)/top/reschtop $(TOP)/tests/unit/test_top.py

.PHONY: check-top
