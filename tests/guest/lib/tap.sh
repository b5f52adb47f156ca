# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# tap.sh - checks of tests in bash, as lines of TAP
#
#	check WHAT COMMAND...	a line: whether the command succeeds
#	until_so COMMAND...	until it does, with some patience
#	tap_end			the plan; the test ends: 0: all were right

tap_count=0
tap_failed=0

check() {
	local what=$1
	shift
	tap_count=$((tap_count + 1))
	if "$@"; then
		echo "ok $tap_count - $what"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $what"
	fi
}

# A slow machine takes its time for everything.
until_so() {
	local end=$((SECONDS + 60 * ${RESCH_SLOWER:-1}))
	until "$@"; do
		[ $SECONDS -lt $end ] || return
		sleep 0.1
	done
}

tap_end() {
	echo "1..$tap_count"
	exit $((tap_failed > 0))
}
