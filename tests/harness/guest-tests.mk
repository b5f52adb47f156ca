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

OBJECTS := $(O)/obj/guest-tests

$(OBJECTS)/%.o: tests/guest/%.c tests/harness/guest-tests.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(O)/guest/%: $(OBJECTS)/%.o $(COMMON:tests/guest/%.c=$(OBJECTS)/%.o) $(wildcard $(O)/lib/libresch.so)
	@mkdir -p $(@D)
	$(CC) -o $@ $(filter %.o,$^) $(LDFLAGS) $(LDLIBS)

-include $(wildcard $(OBJECTS)/*.d)

.PHONY: all
.SECONDARY:
