#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build this tree for a supported kernel, in the root of its suite, into
# build/KERNEL: modules/, bin/, lib/, include/ (guests see it as /resch).
#
#   build.sh KERNEL            as users get it: modules through DKMS; programs
#   build.sh --kbuild KERNEL   only the modules, incremental, in seconds
#   build.sh --user KERNEL     only the programs
#
# A debug kernel (6.1-kasan) is compiled at its first use, which takes a while;
# its modules come from kbuild: DKMS knows nothing of it.

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

what=all
case ${1-} in
--kbuild | --user)
	what=${1#--}
	shift
	;;
esac
[ $# -eq 1 ] || die "usage: build.sh [--kbuild|--user] KERNEL"
kernel=$1
suite=$(kernel_field "$kernel" suite)
out=$BUILD/$kernel

debug=$(kernel_debug "$kernel")
if [ -n "$debug" ]; then
	"$HARNESS/debug-kernel.sh" "$kernel"
else
	"$HARNESS/root.sh" "$kernel"
fi
release=$(kernel_release "$kernel")
mkdir -p "$out/tests"
exec 9>"$out/.lock"
flock 9

in_root() {
	"$HARNESS/in-root.sh" "$suite" "$out" "$@" 9>&-
}

# What reschtop puts into the kernel is the same for all of them, and compiled on this machine: the
# roots have no clang.
skeleton() {
	local made=$BUILD/host/obj/skeleton
	mkdir -p "$made"
	exec 8>"$made/.lock"
	flock 8
	if "$HARNESS/setup.sh" bpf 8>&- && make -s -C "$TREE/tools/top" O="$made" skeleton 8>&-
	then
		cmp -s "$made/reschtop.skel.h" "$out/reschtop.skel.h" ||
			cp "$made/reschtop.skel.h" "$out/"
	else
		say "without clang and bpftool reschtop is left out, and its tests are skipped"
	fi
	exec 8>&-
}

# Kernels of one suite have the same programs: what was compiled for one of them, the others take
# over. With lines for a debugger, as in tests/unit: where variables are takes long to compile.
programs() {
	local other
	exec 8>"$BUILD/.programs-$suite"
	flock 8
	for other in $(kernel_names); do
		if [ ! -d "$out/obj" ] && [ -d "$BUILD/$other/obj" ] &&
			[ "$(kernel_field "$other" suite)" = "$suite" ]; then
			cp -a "$BUILD/$other/obj" "$out/"
		fi
	done
	in_root env CFLAGS="-O2 -g1" make -C /src user O=/resch 8>&-
	exec 8>&-
}

case $what in
user | all) skeleton ;;
esac

headers=/lib/modules/$release/build
[ -z "$debug" ] || headers=/cache/kernels/$kernel/build

# Modules by kbuild; in a kernel that counts lines, with counters.
kbuild() {
	local counters=()
	[ "$debug" != gcov ] || counters=(GCOV_PROFILE=y)
	in_root /src/tests/harness/kbuild.sh "$headers" /resch "${counters[@]}"
}

case $what$debug in
kbuild*) kbuild ;;
user*) programs ;;
all?*)
	programs
	kbuild
	;;
all)
	programs
	in_root /src/tests/harness/dkms-build.sh "$release" /resch
	;;
esac
