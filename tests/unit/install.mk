# SPDX-License-Identifier: GPL-2.0
# make install into a folder, with the objects that make user leaves; what manual pages show.
check: check-install check-setup check-manners check-documents check-documents-inline \
	check-examples check-structures check-bindings check-python check-defaults

# Compiled as the other tests' programs are, with no more than lines for a debugger.
check-install:
	O=$(abspath $(OUT)/../..) CFLAGS="-O2 -g1" $(TOP)/tests/unit/test_install.py

check-setup:
	$(TOP)/tests/unit/test_setup.py

# Of what is installed.
check-manners: check-install
	O=$(abspath $(OUT)/../..) $(TOP)/tests/unit/test_manners.py

# What documents show: with the programs that the other tests have.
check-documents: check-reschctl $(OUT)/resch-sim
	RESCHCTL=$(OUT)/tools/reschctl RESCH_SIM=$(OUT)/resch-sim \
		$(TOP)/tests/unit/test_documents.py

# Within their sentences, with those that are installed.
check-documents-inline: check-install
	O=$(abspath $(OUT)/../..) $(TOP)/tests/unit/test_documents_inline.py

check-examples:
	$(TOP)/tests/unit/test_examples.py

check-defaults:
	$(TOP)/tests/unit/test_defaults.py

check-structures:
	$(TOP)/tests/unit/test_structures.py

# Against the shared library that check-library has made.
check-bindings: check-library
	LIBRESCH=$(OUT)/libresch $(TOP)/tests/unit/test_bindings.py

check-python: check-library
	LIBRESCH=$(OUT)/libresch $(TOP)/tests/unit/test_python.py

.PHONY: check-install check-setup check-manners check-documents check-documents-inline \
	check-examples check-structures check-bindings check-python check-defaults
