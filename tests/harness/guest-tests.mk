# SPDX-License-Identifier: GPL-2.0
#
# Compile the guest tests written in C: each tests/guest/NAME.c is one program,
# $(O)/guest/NAME, linked with libresch when that has been installed in $(O).
# Run from the top: make -f tests/harness/guest-tests.mk O=DIR

O ?= build/host
SOURCES := $(filter-out tests/guest/lib%,$(wildcard tests/guest/*.c))
COMMON := $(wildcard tests/guest/lib*.c)
PROGRAMS := $(SOURCES:tests/guest/%.c=$(O)/guest/%)

CFLAGS ?= -O2 -g
CFLAGS += -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE
CPPFLAGS += -Itests/guest -I$(O)/include -Ilibresch/include -Iuapi -Itools/common -MMD -MP
LDLIBS := $(if $(wildcard $(O)/lib/libresch.so),-L$(O)/lib -lresch) -lpthread -lrt -lm

all: $(PROGRAMS)

$(O)/guest/%: tests/guest/%.c $(COMMON) $(wildcard $(O)/lib/libresch.so)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $< $(COMMON) $(LDFLAGS) $(LDLIBS)

-include $(wildcard $(O)/guest/*.d)

.PHONY: all
