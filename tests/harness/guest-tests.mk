# SPDX-License-Identifier: GPL-2.0
#
# Compile the guest tests written in C: each tests/guest/NAME.c is one program,
# $(O)/guest/NAME, linked with libresch when that has been installed in $(O); tests/faults are more
# files of one of them. tests/torture is one program, $(O)/torture/torture. The examples in C++,
# which libresch leaves to who has a compiler, are in $(O)/examples.
# Run from the top: make -f tests/harness/guest-tests.mk O=DIR

O ?= build/host
SOURCES := $(wildcard tests/guest/*.c)
COMMON := $(wildcard tests/guest/lib/*.c)
PROGRAMS := $(SOURCES:tests/guest/%.c=$(O)/guest/%)

CFLAGS ?= -O2 -g
CFLAGS += -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE
CPPFLAGS += -Itests/guest/lib -I$(O)/obj/guest-tests -I$(O)/include -Ilibresch/include -Iuapi \
	-Itools/common -MMD -MP
LDLIBS := $(if $(wildcard $(O)/lib/libresch.so),-L$(O)/lib -lresch) -lpthread -lrt -lm

TORTURE := $(wildcard tests/torture/*.c) $(addprefix tests/guest/lib/,basic.c domain.c process.c)

CPP_EXAMPLES := $(patsubst libresch/examples/%,$(O)/examples/%,$(wildcard libresch/examples/*.cpp))

all: $(PROGRAMS) $(O)/torture/torture $(CPP_EXAMPLES)

OBJECTS := $(O)/obj/guest-tests

$(OBJECTS)/%.o: tests/guest/%.c tests/harness/guest-tests.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(O)/guest/%: $(OBJECTS)/%.o $(COMMON:tests/guest/%.c=$(OBJECTS)/%.o) \
	$(wildcard $(O)/lib/libresch.so)
	@mkdir -p $(@D)
	$(CC) -o $@ $(filter %.o,$^) $(LDFLAGS) $(LDLIBS)

# The requests, from the header that defines them: for those who include lib/requests.h.
$(OBJECTS)/abi.h: uapi/linux/resch.h tests/harness/abi.sh
	@mkdir -p $(@D)
	tests/harness/abi.sh $< >$@.new && mv $@.new $@

FAULTS := $(patsubst tests/faults/%.c,$(OBJECTS)/faults/%.o,$(wildcard tests/faults/*.c))

$(OBJECTS)/faults/%.o: tests/faults/%.c tests/harness/guest-tests.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(OBJECTS)/faults_requests.o $(FAULTS): $(OBJECTS)/abi.h
$(O)/guest/faults_requests: $(FAULTS)

$(OBJECTS)/torture/%.o: tests/torture/%.c $(OBJECTS)/abi.h tests/harness/guest-tests.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(O)/torture/torture: $(patsubst tests/guest/%.c,$(OBJECTS)/%.o, \
	$(TORTURE:tests/torture/%.c=$(OBJECTS)/torture/%.o)) \
		$(wildcard $(O)/lib/libresch.so)
	@mkdir -p $(@D)
	$(CC) -o $@ $(filter %.o,$^) $(LDFLAGS) $(LDLIBS)

$(O)/examples/%.cpp: libresch/examples/%.cpp $(wildcard $(O)/lib/libresch.so)
	@mkdir -p $(@D)
	$(CXX) $(CPPFLAGS) -std=c++17 -O2 -Wall -Wextra -Werror -MF $@.d -o $@ $< $(LDFLAGS) \
		$(LDLIBS)

-include $(wildcard $(OBJECTS)/*.d $(OBJECTS)/lib/*.d $(OBJECTS)/faults/*.d \
	$(OBJECTS)/torture/*.d $(O)/examples/*.d)

.PHONY: all
.SECONDARY:
