#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Timelines of resch-export in a real browser: Debian's Chromium, without a window, opens them in
# Perfetto's viewer and in the one of chrome://tracing, both from the cache, so that no network is
# needed (tests/browser). Pictures of what was seen are left in build/browser.
#
# usage: browser.sh [TEST...]

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

# The one whose packages were tried.
suite=trixie

if [ "${1-}" = --inside ]; then
	make -s -C "$TREE/bench/sim" -j"$(nproc)" O=/resch/obj/sim all
	RESCH_SIM=/resch/obj/sim/resch-sim RESCH_BUILD=/resch/build VIEWERS=/usr/share/viewers \
		PICTURES=/resch exec python3 -B "$TREE/tests/browser/test_viewers.py" "${@:2}"
fi
out=$BUILD/browser
mkdir -p "$out"
exec 6>"$out/.lock"
flock 6
# What make demo has left is opened, too.
rm -rf "$out/build"
if [ -f "$BUILD/demo/trace.dat" ]; then
	mkdir -p "$out/build/demo"
	cp "$BUILD/demo/trace.dat" "$out/build/demo/"
fi
# 77: some of it can't be had here
layer=$("$HARNESS/layer.sh" browser "$suite") || {
	status=$?
	[ $status -ne 77 ] || echo "its viewers, which come by pip, can't be downloaded here"
	exit $status
}
"$HARNESS/in-root.sh" --over "$layer" "$suite" "$out" /src/tests/harness/browser.sh --inside "$@"
