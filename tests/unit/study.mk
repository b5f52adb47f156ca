# SPDX-License-Identifier: GPL-2.0
# Task-set generators and the schedulability study, in short.
check: check-gen check-study

check-gen:
	$(TOP)/tests/unit/test_gen.py

check-study:
	$(MAKE) -C $(TOP)/bench/study --no-print-directory O=$(OUT)/study all
	RESCH_STUDY=$(OUT)/study/resch-study $(TOP)/tests/unit/test_study.py

.PHONY: check-gen check-study
