# SPDX-License-Identifier: GPL-2.0
# The plugin of KernelShark: what of it needs neither KernelShark nor Qt.
SHARK_ROOM := $(TOP)/tools/kernelshark
SHARK_SRCS := $(patsubst %,$(SHARK_ROOM)/%.cpp,schedule lane numbers)

$(OUT)/test_kernelshark: $(TOP)/tests/unit/test_kernelshark.cpp $(SHARK_SRCS) \
	$(wildcard $(SHARK_ROOM)/*.hpp) $(TOP)/module/include/resch/trace-words.h
	@mkdir -p $(@D)
	c++ -std=c++17 -O1 -g1 -Wall -Wextra -Wno-missing-field-initializers -Wno-unused-parameter \
		-Wshadow -Werror $(SANITIZE) \
		-I$(SHARK_ROOM) -I$(TOP)/module/include -o $@ $(filter %.cpp,$^) $(UNIT_LIBS)

check: check-kernelshark

check-kernelshark: $(OUT)/test_kernelshark
	@echo "== test_kernelshark"; $<

.PHONY: check-kernelshark
