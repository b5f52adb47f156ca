#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The plugin of KernelShark in a suite's root: compiled against that suite's libkshark, installed
# where KernelShark looks, and looked at under an X server that nobody sees (tests/kernelshark).
# Pictures of what was seen are left in build/kernelshark/SUITE.
#
# usage: kernelshark.sh SUITE

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "${1-}" = --inside ]; then
	make -s -C "$TREE/tools/kernelshark" -j"$(nproc)" O=/resch/host/obj/tools/kernelshark \
		CXXFLAGS="-O1 -g -Werror" all install
	make -s -C "$TREE/bench/sim" -j"$(nproc)" O=/resch/obj/sim all
	RESCH_SIM=/resch/obj/sim/resch-sim RESCH_BUILD=/resch PICTURES=/resch exec python3 \
		"$TREE/tests/kernelshark/test_picture.py" "${@:2}"
fi
[ $# -ge 1 ] || die "usage: kernelshark.sh SUITE [TEST...]"
suite=$1
out=$BUILD/kernelshark/$suite
mkdir -p "$out"
exec 6>"$out/.lock"
flock 6
layer=$("$HARNESS/layer.sh" kernelshark "$suite")
"$HARNESS/in-root.sh" --over "$layer" "$suite" "$out" \
	/src/tests/harness/kernelshark.sh --inside "${@:2}"
