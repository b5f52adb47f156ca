#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel-deadline.sh [SECONDS]: threads that are SCHED_DEADLINE for a moment while CPUs go off- and
# online, without any module of ours: whether the kernel itself loses count of their bandwidth, or
# panics (docs/hardening.md has what was seen). Needs root and a guest: from the top of the
# repository,
#
#   tests/harness/guest -k 6.1 -t 200 -o DIR -- bash -c "$(cat tests/torture/kernel-deadline.sh)"
#
# Prints the bandwidth that the kernel counts before and after, for each CPU in 1/2^20, and the CPUs
# that can't go offline then, with nobody left under SCHED_DEADLINE. Exit status 1 where the two
# differ.

set -u

readonly cpus=/sys/devices/system/cpu
end=$((SECONDS + ${1:-60}))

counted() {
	awk '/total_bw/ { printf "%s%s", sep, $NF; sep = " " } END { print "" }' \
		/sys/kernel/debug/sched/debug
}

come_and_go() {
	while [ $SECONDS -lt $end ]; do
		timeout -s KILL 0.$((RANDOM % 5 + 1)) \
			chrt -d -T 2000000 -D 10000000 -P 10000000 0 sh -c 'while :; do :; done'
		timeout 0.2 chrt -d -T 1000000 -D 10000000 -P 10000000 0 sleep 0.1
	done
}

mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
if grep -q '^resch' /proc/modules; then
	echo "kernel-deadline.sh: resch is loaded: unload it first (rmmod)" >&2
	exit 2
fi

before=$(counted)
echo "before    $before"
for _ in 1 2 3; do
	come_and_go 2>/dev/null &
done
off=0
refused=0
while [ $SECONDS -lt $end ]; do
	cpu=$cpus/cpu$((RANDOM % ($(nproc --all) - 1) + 1))
	if echo 0 2>/dev/null >"$cpu"/online; then
		off=$((off + 1))
	else
		refused=$((refused + 1))
	fi
	sleep 0.1
	echo 1 2>/dev/null >"$cpu"/online
done
wait
sleep 2 # a period has passed: what was counted for the last of them is given back

after=$(counted)
echo "after     $after"
echo "offline   $off times, refused $refused times while they ran"
for cpu in "$cpus"/cpu[1-9]*; do
	echo 0 2>/dev/null >"$cpu"/online ||
		echo "${cpu##*/}      can't go offline, with no such thread left"
	echo 1 2>/dev/null >"$cpu"/online
done
[ "$before" = "$after" ]
