#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The plugin of KernelShark in a suite's root: compiled against that suite's libkshark, installed
# where KernelShark looks, and looked at under an X server that nobody sees (tests/kernelshark). It
# opens schedules of the simulator, and what a kernel of that suite has recorded, where
# tests/checker/on-kernel has run. Pictures of what was seen are left in build/kernelshark/SUITE.
#
# usage: kernelshark.sh SUITE [TEST...]    test_picture, test_recordings.Recordings.test_chain, ...

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "${1-}" = --inside ]; then
	make -s -C "$TREE/tools/kernelshark" -j"$(nproc)" O=/resch/host/obj/tools/kernelshark \
		CXXFLAGS="-O1 -g -Werror" all install
	make -s -C "$TREE/bench/sim" -j"$(nproc)" O=/resch/obj/sim all
	cd "$TREE/tests/kernelshark"
	[ $# -gt 1 ] || set -- "$@" test_picture test_recordings
	RESCH_SIM=/resch/obj/sim/resch-sim RESCH_BUILD=/resch PICTURES=/resch \
		RECORDINGS=/resch/recordings exec python3 -B -m unittest -v "${@:2}"
fi
[ $# -ge 1 ] || die "usage: kernelshark.sh SUITE [TEST...]"
suite=$1
out=$BUILD/kernelshark/$suite
mkdir -p "$out"
exec 6>"$out/.lock"
flock 6
# Of the suite's first kernel that has left some.
rm -rf "$out/recordings"
for kernel in $(kernel_names); do
	if [ "$(kernel_field "$kernel" suite)" = "$suite" ] &&
		[ -f "$BUILD/$kernel/checker/split-two-npsf.dat" ]; then
		mkdir -p "$out/recordings"
		cp "$BUILD/$kernel"/checker/*.dat "$out/recordings/"
		break
	fi
done
# What make demo has left is opened, too.
if [ -f "$BUILD/demo/trace.dat" ]; then
	mkdir -p "$out/recordings"
	cp "$BUILD/demo/trace.dat" "$out/recordings/demo.dat"
fi
layer=$("$HARNESS/layer.sh" kernelshark "$suite")
"$HARNESS/in-root.sh" --over "$layer" "$suite" "$out" \
	/src/tests/harness/kernelshark.sh --inside "${@:2}"
