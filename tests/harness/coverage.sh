#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Which lines of module/ and plugins/ the guest tests and the torture reach: in a kernel whose
# modules count them (KERNEL-gcov, compiled at its first use), two guests side by side where there
# are two CPUs, each with half of the tests. The report is build/KERNEL-gcov/coverage/report.txt:
# lines reached of each file, and each that was not, with the reason where tests/coverage.list has
# one.
#
# usage: coverage.sh [KERNEL [TEST...]]		default: 6.1, all tests
#        coverage.sh --report [KERNEL]		only the report, of what the last run has left

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

again=
if [ "${1-}" = --report ]; then
	again=1
	shift
fi
kernel=${1:-6.1}-gcov
shift $(($# > 0))
suite=$(kernel_field "$kernel" suite)
built=$BUILD/$kernel
out=$built/coverage

# In the guest: the tests, then the counters, which outlive the modules.
# shellcheck disable=SC2016 # the guest's shell
INSIDE='bash /harness/guest-runner "$@"
status=$?
cd /sys/kernel/debug/gcov && find resch/kbuild -name "*.gcda" | while read -r file; do
	mkdir -p "/out/gcov/${file%/*}"
	cat "$file" >"/out/gcov/$file"
done
exit $status'

# half NUMBER TEST...
half() {
	local number=$1
	shift
	mkdir -p "$out/$number"
	"$HARNESS/guest" -k "$kernel" -m 2G -t 7200 -o "$out/$number" -- env RESCH_SLOWER=3 \
		TORTURE="--hotplug --seconds 60" bash -c "$INSIDE" coverage "$@" |
		tee "$out/$number/runner.log" | sed -u "s/^/  $number: /"
}

# The names of all tests, or those that match; the long ones of different kinds lie apart.
tests_of() {
	local name
	for name in "$TREE"/tests/guest/* "$built"/guest/*; do
		case ${name##*/} in
		*.[ch] | *.mk | *.md | Makefile) continue ;;
		esac
		[ ! -f "$name" ] || [ ! -x "$name" ] || echo "${name##*/}"
	done | sort -u
}

run() {
	local all failed=0 number
	"$HARNESS/build.sh" "$kernel"
	rm -rf "$out"
	mkdir -p "$out"
	if [ $# -eq 0 ]; then
		mapfile -t all < <(tests_of)
		set -- "${all[@]}"
	fi
	for number in 0 1; do
		# shellcheck disable=SC2046 # one name a word
		half $number $(printf '%s\n' "$@" | awk -v n=$number 'NR % 2 == n') &
		[ "$(nproc)" -gt 1 ] || wait -n || failed=1
	done
	wait -n || failed=1
	wait -n || failed=1
	[ $failed -eq 0 ] ||
		say "tests have failed, see $out/*/runner.log: what they reached counts"
}

# The compiler's own reader, in the root that has compiled them: one line of JSON a file.
# shellcheck disable=SC2016 # the root's shell
read_counters() {
	"$HARNESS/in-root.sh" "$suite" "$built" bash -c '
		cd /resch/coverage
		for half in [01]; do
			(cd "$half/gcov" && find resch/kbuild -name "*.gcda") |
				while read -r file; do
					cp "$half/gcov/$file" "/$file" && gcov -jt "/$file"
				done
		done >counts.json 2>gcov.log'
}

[ -n "$again" ] || run "$@"
read_counters
"$HARNESS/coverage.py" "$out/counts.json" "$TREE" >"$out/report.txt" || status=$?
sed -n '/^$/q; p' "$out/report.txt"
echo "all of it: $out/report.txt"
exit "${status:-0}"
