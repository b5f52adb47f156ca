#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Compile the programs into OUT: each room that has a Makefile, in the order in
# which they build upon each other, then the guest tests written in C.
#
# usage: user.sh OUT

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir -p "$1"
out=$(cd "$1" && pwd)
built=()
for room in libresch tools tools/top tools/kernelshark tools/trace bench; do
	[ -f "$TREE/$room/Makefile" ] || continue
	for target in all install; do
		make -C "$TREE/$room" --no-print-directory -j"$(nproc)" O="$out/obj/$room" \
			PREFIX="$out" SKELETON="$out/reschtop.skel.h" \
			KSHARK_PLUGINS="$out/lib/kernelshark" $target
	done
	built+=("$room")
done
# As the package python3-resch installs it; what tests/guest/documents types.
mkdir -p "$out/lib/python/resch" "$out/share/doc/resch/documents"
cp "$TREE"/docs/*.md "$out/share/doc/resch/documents/"
cp "$TREE"/README.md "$out/share/doc/resch/documents/"
cp "$TREE"/libresch/python/resch/* "$out/lib/python/resch/"
if compgen -G "$TREE/tests/guest/*.c" >/dev/null; then
	make -C "$TREE" --no-print-directory -j"$(nproc)" -f tests/harness/guest-tests.mk O="$out"
	built+=(tests/guest)
fi
[ ${#built[@]} -gt 0 ] ||
	die "no programs in this tree yet: libresch, tools and bench have no Makefile"
say "built ${built[*]} in $out"
