#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Compile the kernel modules outside the source tree: kbuild writes next to its
# sources, so it gets a tree of links to them, under OUT/kbuild. Incremental.
# The modules end up in OUT/modules.
#
# usage: kbuild.sh KDIR OUT [MAKE ARGS...]
#        KDIR: the kernel's headers, such as /lib/modules/VERSION/build

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

# Rooms with something for kbuild or its compiler in them.
ROOMS="module plugins uapi include tests/modules"

[ $# -ge 2 ] || die "usage: kbuild.sh KDIR OUT [MAKE ARGS...]"
kdir=$1 out=$2
shift 2
[ -e "$kdir/Makefile" ] ||
	die "no kernel headers in $kdir; install linux-headers, or give KDIR=..."

mkdir -p "$out/kbuild" "$out/modules"
links=$out/kbuild

# Links to new files; links to files that are gone go too.
for room in $ROOMS; do
	[ -d "$TREE/$room" ] || continue
	mkdir -p "$links/$room"
	cp -rsf "$TREE/$room/." "$links/$room/"
done
mkdir -p "$links/tests"
ln -sf "$TREE/VERSION" "$links/VERSION"
ln -sf "$TREE/tests/kernels.list" "$links/tests/kernels.list"
find "$links" -xtype l -delete

# The top: the tree's own Kbuild, then test modules, which DKMS doesn't know.
{
	if [ -f "$TREE/Kbuild" ]; then
		cat "$TREE/Kbuild"
	else
		for room in module plugins; do
			[ ! -f "$TREE/$room/Kbuild" ] || echo "obj-m += $room/"
		done
	fi
	[ ! -f "$TREE/tests/modules/Kbuild" ] || echo "obj-m += tests/modules/"
} >"$links/Kbuild.new"
if cmp -s "$links/Kbuild.new" "$links/Kbuild"; then
	rm "$links/Kbuild.new"
else
	mv "$links/Kbuild.new" "$links/Kbuild"
fi
[ -s "$links/Kbuild" ] || die "no modules in this tree: neither module/Kbuild nor plugins/Kbuild"

make -C "$kdir" M="$(cd "$links" && pwd)" -j"$(nproc)" "$@" modules

# modules.order names what was built now; a .ko of a source that's gone may lie about.
rm -f "$out"/modules/*.ko
while read -r module; do
	module=${module%.o}
	module=${module%.ko}.ko
	case $module in
	/*) cp "$module" "$out/modules/" ;;
	*) cp "$links/$module" "$out/modules/" ;;
	esac
done <"$links/modules.order"
