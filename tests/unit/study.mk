# SPDX-License-Identifier: GPL-2.0
# Task-set generators, the schedulability study, the paper's experiment, in short; what measurements
# become.
check: check-gen check-study check-experiment check-chain-experiment check-observer \
	check-completion check-progress

check-gen:
	$(TOP)/tests/unit/test_gen.py

check-study:
	$(MAKE) -C $(TOP)/bench/study --no-print-directory O=$(OUT)/study all
	RESCH_STUDY=$(OUT)/study/resch-study $(TOP)/tests/unit/test_study.py

check-experiment: check-reschctl $(OUT)/resch-sim
	RESCHCTL=$(OUT)/tools/reschctl RESCH_SIM=$(OUT)/resch-sim \
		$(TOP)/tests/unit/test_experiment.py

check-chain-experiment: $(OUT)/resch-sim
	RESCH_SIM=$(OUT)/resch-sim $(TOP)/tests/unit/test_chain_experiment.py

check-observer:
	$(TOP)/tests/unit/test_observer.py

check-completion:
	$(TOP)/tests/unit/test_completion.py

check-progress: $(OUT)/resch-sim
	RESCH_SIM=$(OUT)/resch-sim $(TOP)/tests/unit/test_progress.py

.PHONY: check-gen check-study check-experiment check-chain-experiment check-observer \
	check-completion check-progress
