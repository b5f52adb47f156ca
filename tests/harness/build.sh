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
	"$HARNESS/debug-kernel.sh" "$debug"
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

headers=/lib/modules/$release/build
[ -z "$debug" ] || headers=/cache/kernels/$kernel/build

case $what$debug in
kbuild*) in_root /src/tests/harness/kbuild.sh "$headers" /resch ;;
user*) in_root make -C /src user O=/resch ;;
all?*)
	in_root /src/tests/harness/kbuild.sh "$headers" /resch
	in_root make -C /src user O=/resch
	;;
all)
	in_root /src/tests/harness/dkms-build.sh "$release" /resch
	in_root make -C /src user O=/resch
	;;
esac
