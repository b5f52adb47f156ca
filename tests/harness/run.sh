#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The test run: named steps, each with a log in build/check, a line per step and
# per guest test, and "N passed, N failed, N skipped" as the last line.
#
# The roots that a first run has to make are downloaded and unpacked beside the
# checks that need none of them.
#
# usage: run.sh [lint] [unit] [guest]	default: all three
#        KERNELS="6.1 7.2-rt"		only these kernels
#        TESTS="edf_* basic"		only these guest tests
#        TORTURE="--seconds 600"	options of the test torture, with RESCH_TEST_LIMIT=SECONDS
#        PEERS=all			each stressor in the test peers, with PACED=1
#        PACED=1			emulated guests' clock goes by instructions (guest --paced)
#        RESCH_INSTANCES=N RESCH_KILLS=N  so many of the tests chain_long and chain-run

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

LOGS=$BUILD/check
# Without and with a suite's root, or a download.
LINTS="shellcheck python spdx whitespace widths lengths lists floors cppcheck clang-format"
ROOT_LINTS="checkpatch sparse arm64 foreign"
GUEST_LIMIT=${RESCH_GUEST_TIMEOUT:-1800}

passed=0 failed=0 skipped=0
failures=()

# count pass|fail|skip NAME REASON
count() {
	case $1 in
	pass) passed=$((passed + 1)) ;;
	skip) skipped=$((skipped + 1)) ;;
	*)
		failed=$((failed + 1))
		failures+=("$2${3:+: $3}")
		;;
	esac
}

# show WORD TEXT: a line with the time since the beginning.
show() {
	printf '[%5d s] %-4s %s\n' $SECONDS "$1" "$2"
}

# result pass|fail|skip NAME SECONDS [REASON]: count it and show it.
result() {
	count "$1" "$2" "${4-}"
	show "$1" "$2 ($3 s)${4:+: $4}"
}

log_of() {
	echo "$LOGS/${1//[ \/:(),]/-}.log"
}

# complaints LOG COUNT: the first of its lines that say what is wrong.
complaints() {
	grep -aE -e '^(not ok|VIOLATION) |\*\*\* |^\[  FAILED  \]' \
		-e '^(FAIL|ERROR|[A-Za-z]*Error): ' "$1" |
		head -n "$2" | cut -c 1-160 || true
}

# judge NAME STATUS SECONDS: status 0 passes, 77 skips (the log's last line says why).
judge() {
	local log
	log=$(log_of "$1")
	case $2 in
	0) result pass "$1" "$3" ;;
	77) result skip "$1" "$3" "$(tail -n 1 "$log")" ;;
	*)
		result fail "$1" "$3" "status $2, see $log"
		{
			complaints "$log" 15
			tail -n 25 "$log"
		} | sed 's/^/          | /'
		return 1
		;;
	esac
}

# step NAME COMMAND...: run it, judge it.
step() {
	local name=$1 begin=$SECONDS status=0
	shift
	"$@" >"$(log_of "$name")" 2>&1 </dev/null || status=$?
	judge "$name" $status $((SECONDS - begin))
}

# ---- roots, in the background ------------------------------------------------

roots_pid='' roots_begin=0
ROOTS="roots of the kernels"

begin_roots() {
	# shellcheck disable=SC2086 # one kernel a word
	if ! "$HARNESS/root.sh" --there $KERNELS; then
		show .... "$ROOTS: downloading and unpacking beside what follows, several minutes"
	fi
	roots_begin=$SECONDS
	# shellcheck disable=SC2086
	"$HARNESS/root.sh" $KERNELS >"$(log_of "$ROOTS")" 2>&1 </dev/null &
	roots_pid=$!
}

# Once: later calls repeat the answer.
end_roots() {
	local status=0
	if [ -n "$roots_pid" ]; then
		wait "$roots_pid" || status=$?
		roots_pid=
		judge "$ROOTS" $status $((SECONDS - roots_begin)) || roots_failed=1
	fi
	[ -z "${roots_failed-}" ]
}

# ---- side by side ----------------------------------------------------------------

# In the background, as soon as there's room. Two at a time where there are two CPUs: an emulated
# machine, or one program, keeps one of them busy.
beside() {
	while [ "$(jobs -rp | grep -cvxF "${builder_pid:-0}")" -ge "$(($(nproc) > 1 ? 2 : 1))" ]; do
		wait -n || true
	done
	"$@" &
}

# left NAME COMMAND...: run it with a log, and leave what left_count counts: STATUS SECONDS.
left() {
	local name=$1 log status=0 begin=$SECONDS
	log=$(log_of "$name")
	shift
	show .... "$name"
	"$@" >"$log" 2>&1 </dev/null || status=$?
	echo "$status $((SECONDS - begin))" >"${log%.log}.left.new"
	mv "${log%.log}.left.new" "${log%.log}.left"
	return $status
}

# left_await NAME: until that is there; its status.
left_await() {
	local file status
	file=$(log_of "$1")
	file=${file%.log}.left
	until [ -f "$file" ]; do
		sleep 1
	done
	read -r status _ <"$file"
	return "$status"
}

# left_count NAME: nothing left is a failure, too.
left_count() {
	local file status=126 seconds=0
	file=$(log_of "$1")
	file=${file%.log}.left
	[ ! -f "$file" ] || read -r status seconds <"$file"
	judge "$1" "$status" "$seconds"
}

# ---- parts ---------------------------------------------------------------------

lint() {
	local lint
	for lint; do
		step "lint $lint" "$HARNESS/lint.sh" "$lint" || true
	done
}

CHECKER="trace checker"

# inner LOG: results inside a step's log, by cmocka and by Python's unittest: "pass|fail|skip N".
inner() {
	awk '
		/^\[       OK \]/ { pass++ }
		/^\[  SKIPPED \] [^0-9]/ { skip++ }
		/^Ran [0-9]+ tests? in/ { pass += $2 }
		/^(OK|FAILED) \(/ {
			n = split($0, part, /[(),]/)
			for (i = 2; i <= n; i++)
				if (split(part[i], word, "=") == 2) {
					pass -= word[2]
					if (word[1] ~ /skipped/) skip += word[2]
				}
		}
		END { print pass + 0, skip + 0 }' "$1"
}

# tests step|left_count NAME [COMMAND...]: it has many results in its log.
tests() {
	local name=$2 pass skip before=$passed
	"$@" || return 0
	[ $passed -gt $before ] || return 0
	read -r pass skip < <(inner "$(log_of "$name")")
	[ "$((pass + skip))" -gt 0 ] || return 0
	passed=$((passed - 1 + pass)) skipped=$((skipped + skip))
	show "" "$name: $pass passed, $skip skipped"
}

unit() {
	step "packages for the unit tests" "$HARNESS/setup.sh" build model plot || return 0
	tests step "unit tests" make -C "$TREE/tests/unit" -j"$(nproc)" \
		--no-print-directory O="$BUILD/host/obj/unit" check
	# one program: what follows has the other CPU
	beside left "$CHECKER" "$TREE/tests/checker/run"
	checker_begun=1
	tests step "models" "$TREE/tests/models/run"
}

checker_count() {
	[ -n "${checker_begun-}" ] || return 0
	wait
	tests left_count "$CHECKER"
}

# Count the results that a guest's runner has left; it has shown them.
count_results() {
	local kernel=$1 verdict name reason
	while read -r verdict name _ reason; do
		case $verdict in
		pass | fail | skip) count "$verdict" "$kernel $name" "$reason" ;;
		esac
	done <"$2"
}

# The test that has begun and not ended.
unfinished() {
	awk '$1 == "start" { name = $2; next } { name = "" } END { print name }' "$1"
}

# The test that began last.
last() {
	awk '$1 == "start" { name = $2 } END { print name }' "$1"
}

# shares_of KERNEL: what each of its guests has of its tests: "1/1", or "1/2 2/2". A debug kernel
# takes long, and with one guest it would leave half of the machine idle.
shares_of() {
	if [ -n "$(kernel_debug "$1")" ] && [ "$KERNELS" = "$1" ] && [ "$(nproc)" -gt 1 ] &&
		[[ -z ${TESTS-} || $TESTS == *[\ *?[]* ]]; then
		echo 1/2 2/2
	else
		echo 1/1
	fi
}

# guest_out KERNEL SHARE: where its guest leaves what it has to say: guest-KERNEL, guest-KERNEL.2
guest_out() {
	local number=${2%/*}
	echo "$LOGS/guest-$1$([ "$number" = 1 ] || echo ".$number")"
}

# Boot the kernel for its share of the tests; once more for the rest when one has killed it, or the
# guest says so. Leaves results, and ended: STATUS SECONDS.
guest() {
	local kernel=$1 share=$2 out status guilty reason begin=$SECONDS before slower=1
	local options=()
	out=$(guest_out "$kernel" "$share")
	if [ -n "$(kernel_debug "$kernel")" ]; then
		# by its own clock it is three to five times as fast as in real time
		options=(-m 3G --paced 1) slower=5
		[[ $kernel != *-rt-* ]] || slower=10
	fi
	[ -z "${PACED-}" ] || options+=(--paced "$PACED")
	# It warns with a run queue's lock (dmesg-scan): lockdep is off once it prints that.
	[ "$kernel" != 6.12-kasan ] || options+=(-a loglevel=1)
	rm -rf "$out"
	mkdir -p "$out"
	: >"$out/results"
	show .... "$kernel guest$([ "$share" = 1/1 ] || echo " $share")"
	while :; do
		status=0
		before=$(wc -l <"$out/results")
		# shellcheck disable=SC2086 # one pattern a word
		(set -f && "$HARNESS/guest" -k "$kernel" -t $((GUEST_LIMIT * slower)) -o "$out" \
			"${options[@]}" -- env RESCH_SLOWER=$slower RESCH_SHARE="$share" \
			TORTURE="${TORTURE-}" PEERS="${PEERS-}" \
			RESCH_INSTANCES="${RESCH_INSTANCES-}" RESCH_KILLS="${RESCH_KILLS-}" \
			RESCH_TEST_LIMIT="${RESCH_TEST_LIMIT-}" bash /harness/guest-runner \
			${TESTS-}) 2>&1 </dev/null |
			tee -a "$out/runner.log" | sed -u "s/^/          $kernel: /" || status=$?
		[ "$(wc -l <"$out/results")" -gt "$before" ] || break
		if [ "$(tail -n 1 "$out/results")" = again ]; then
			cp "$out/console.log" "$out/console.$(last "$out/results").log"
			continue
		fi
		guilty=$(unfinished "$out/results")
		[ -n "$guilty" ] || break
		cp "$out/console.log" "$out/console.$guilty.log"
		reason=$(grep -m1 -E 'BUG|Kernel panic|WARNING' "$out/console.log" || true)
		echo "fail $guilty 0 the guest ended in it: $reason, see $out/console.$guilty.log" \
			>>"$out/results"
	done
	echo "$status $((SECONDS - begin))" >"$out/ended"
}

# All guests of the kernel.
guests() {
	local share
	for share in $(shares_of "$1"); do
		guest "$1" "$share" &
	done
	wait
}

# guest_count KERNEL SHARE: what a guest has left, counted.
guest_count() {
	local kernel=$1 out status=126 seconds=0
	out=$(guest_out "$kernel" "$2")
	[ ! -f "$out/ended" ] || read -r status seconds <"$out/ended"
	count_results "$kernel" "$out/results"
	# 1: tests have failed, and are counted
	case $status in
	0) result pass "$kernel boot and quiet log" "$seconds" ;;
	1) ;;
	*) result fail "$kernel guest" "$seconds" "status $status, see $out/runner.log" ;;
	esac
}

# ---- kernels ---------------------------------------------------------------------

JUDGED="loads judged by resch-check"
BLAMED="culprits named by reschtop"
LANES="chains between nodes, in lanes"
BUILD_STEP="build, install, uninstall"
DEMO="make demo"
BROWSER="timelines in a browser"
SHARK="KernelShark of"
# Kernels that have a share of the guest tests (tests/guest/skipped), and of what follows nothing.
SHARING="7.3"

# guest_more KERNEL: is there more to do with it than its guest tests? What a debug kernel does
# takes times of its own, by which nothing can be judged.
guest_more() {
	[ -z "${TESTS-}" ] && [ -z "$(kernel_debug "$1")" ] && [[ " $SHARING " != *" $1 "* ]]
}

# Of which kernels there is.
more_kernels() {
	local each
	for each in $KERNELS; do
		! guest_more "$each" || echo "$each"
	done
}

# Which of them have culprits planted; on the others, one of each series, too, and one of each
# suite, loads are judged. Those with culprits don't have the guest test reschtop
# (tests/guest/skipped).
has_culprits() {
	[[ " 6.1-rt 6.12 7.2-rt " == *" $1 "* ]]
}

# The load of servers that the viewers open is of this one.
SEED=3

# judged_on KERNEL: what of tests/checker/on-kernel; between the oldest kernel and the newest only
# sets that have to be split, for some of them are split otherwise under PREEMPT_RT.
judged_on() {
	case $1 in
	6.12-rt) echo split ;;
	*) echo all ;;
	esac
}

# Which of them plays chains between nodes where the clock counts instructions: one is enough, what
# carries them is the guest test's.
has_lanes() {
	[ "$1" = 6.12 ]
}

# 6.1 is the first one: the demo wants its modules and programs, and the viewers what the demo
# leaves. Who has least to do is the last one: none is alone for long at the end.
kernels_in_order() {
	local each first=() others=() last=()
	for each in $KERNELS; do
		case " 6.1 / $SHARING " in
		*" $each "*"/ "*) first+=("$each") ;;
		*" $each "*) last+=("$each") ;;
		*) others=("$each" "${others[@]}") ;;
		esac
	done
	printf '%s\n' "${first[@]}" "${others[@]}" "${last[@]}" | grep . || true
}

# All about a kernel: what it leaves is counted when it has ended.
kernel() {
	kernel_steps "$1" || true
	: >"$LOGS/$1.over"
}

kernel_steps() {
	left_await "$1 $BUILD_STEP" || return 0
	guests "$1"
	guest_more "$1" || return 0
	if has_culprits "$1"; then
		left "$1 $BLAMED" "$TREE/tests/culprit/run" --built --trials 4 "$1" || true
	else
		left "$1 $JUDGED" "$TREE/tests/checker/on-kernel" --built "$1" \
			"$(judged_on "$1")" $SEED || true
	fi
	! has_lanes "$1" ||
		left "$1 $LANES" "$TREE/bench/nodes/compare" --no-build --duration=1s "$1" || true
}

kernel_count() {
	local share
	left_count "$1 $BUILD_STEP" || return 0
	for share in $(shares_of "$1"); do
		guest_count "$1" "$share"
	done
	guest_more "$1" || return 0
	if has_culprits "$1"; then
		left_count "$1 $BLAMED" || true
	else
		left_count "$1 $JUDGED" || true
	fi
	! has_lanes "$1" || left_count "$1 $LANES" || true
}

suites() {
	local kernel
	for kernel in $(more_kernels); do
		kernel_field "$kernel" suite
	done | sort -u
}

# over_await KERNEL: it has been through all of its steps; at once if it is none of ours.
over_await() {
	until [[ " $KERNELS " != *" $1 "* ]] || [ -f "$LOGS/$1.over" ]; do
		sleep 1
	done
}

# What is tested of KernelShark in this suite, if not all: where no kernel has left all recordings,
# schedules of the simulator.
shark_tests() {
	local kernel
	for kernel in $(more_kernels); do
		if [ "$(kernel_field "$kernel" suite)" = "$1" ] && ! has_culprits "$kernel" &&
			[ "$(judged_on "$kernel")" != all ]; then
			echo test_picture
		fi
	done
}

# The demo, what opens its recording, and what opens those that kernels have left: of each suite
# the one's whose loads are judged.
viewers() {
	local suite kernel
	over_await 6.1
	[[ " $KERNELS " != *" 6.1 "* ]] || left "$DEMO" "$TREE/tools/demo/demo" || true
	# It needs one suite's root; that is there if one of its kernels is asked for.
	[ ! -d "$CACHE/roots/trixie" ] || left "$BROWSER" "$HARNESS/browser.sh" || true
	for suite in $(suites); do
		for kernel in $(more_kernels); do
			if [ "$(kernel_field "$kernel" suite)" = "$suite" ] &&
				! has_culprits "$kernel"; then
				over_await "$kernel"
			fi
		done
		# shellcheck disable=SC2046 # one test a word
		left "$SHARK $suite" "$HARNESS/kernelshark.sh" "$suite" $(shark_tests "$suite") ||
			true
	done
}

viewers_count() {
	local suite
	[[ " $KERNELS " != *" 6.1 "* ]] || left_count "$DEMO" || true
	[ ! -d "$CACHE/roots/trixie" ] || tests left_count "$BROWSER"
	for suite in $(suites); do
		tests left_count "$SHARK $suite"
	done
}

# builder PART...: the builds in the kernels' order, the lints that need roots, and the viewers.
# Beside guests, which leave a quarter of two CPUs alone, and at the lowest priority: it takes
# nothing from them.
builder() {
	local each
	renice -n 19 -p "$BASHPID" >/dev/null || true
	if [[ " $* " == *' guest '* ]]; then
		for each in $(kernels_in_order); do
			left "$each $BUILD_STEP" "$HARNESS/build.sh" "$each" || true
		done
	fi
	if [[ " $* " == *' lint '* ]]; then
		for each in $ROOT_LINTS; do
			left "lint $each" "$HARNESS/lint.sh" "$each" || true
		done
	fi
	[[ " $* " != *' guest '* ]] || [ -z "$(more_kernels)" ] || viewers
}

# in_roots PART...: all that needs them.
in_roots() {
	local each
	end_roots || return 0
	builder "$@" &
	builder_pid=$!
	if [[ " $* " == *' guest '* ]]; then
		for each in $(kernels_in_order); do
			beside kernel "$each"
		done
	fi
	wait
	if [[ " $* " == *' lint '* ]]; then
		for each in $ROOT_LINTS; do
			left_count "lint $each" || true
		done
	fi
	[[ " $* " == *' guest '* ]] || return 0
	for each in $KERNELS; do
		kernel_count "$each"
	done
	[ -z "$(more_kernels)" ] || viewers_count
}

[ $# -gt 0 ] || set -- lint unit guest
: "${KERNELS:=$(kernel_names | paste -sd' ')}"
mkdir -p "$LOGS"
rm -f "$LOGS"/summary "$LOGS"/*.left "$LOGS"/*.over
case " $* " in
*' guest '*) begin_roots ;;
esac
for part; do
	case $part in
	lint)
		# shellcheck disable=SC2086 # one check a word
		lint $LINTS
		;;
	unit) unit ;;
	guest) ;;
	*) die "no part '$part'; there are: lint unit guest" ;;
	esac
done
in_roots "$@"
checker_count

if [ ${#failures[@]} -gt 0 ]; then
	echo
	for failure in "${failures[@]}"; do
		echo "FAILED $failure"
		log=${failure##*, see }
		[ ! -f "$log" ] || complaints "$log" 4 | sed 's/^/       /'
	done
fi
echo "$passed passed, $failed failed, $skipped skipped" | tee "$LOGS/summary"
[ "$failed" -eq 0 ]
