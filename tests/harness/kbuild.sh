#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Compile the kernel modules outside the source tree: kbuild writes next to its
# sources, so it gets a tree of links to them, under OUT/kbuild. Incremental.
# The modules end up in OUT/modules.
#
# usage: kbuild.sh [--beside RESCH.KO] KDIR OUT [MAKE ARGS...]
#        KDIR: the kernel's headers, such as /lib/modules/VERSION/build
#        --beside: only the modules of the tests, for the core that is there

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

# Rooms with something for kbuild or its compiler in them.
ROOMS="module plugins uapi include tests/modules"

core=
if [ "${1-}" = --beside ]; then
	core=$2
	shift 2
fi
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

# exports MODULE: what it exports, as lines of a Module.symvers. Where a kernel checks the versions
# of symbols (CONFIG_MODVERSIONS), __crc_NAME is where in its section a name's checksum is; the dump
# has four bytes each, the lowest first.
exports() {
	local crcs name at
	crcs=$({ objdump -s -j __kcrctab_gpl "$1" 2>/dev/null || true; } |
		sed -n 's/^ [0-9a-f]* \(.\{35\}\) .*/\1/p' | tr -d ' \n')
	nm "$1" | sed -n 's/.* __ksymtab_//p' | while read -r name; do
		at=$(nm "$1" | sed -n "s/ . __crc_$name$//p")
		at=$((2 * 0x${at:-0}))
		: "${crcs:=00000000}"
		printf '0x%s%s%s%s\t%s\t%s\tEXPORT_SYMBOL_GPL\t\n' "${crcs:at+6:2}" \
			"${crcs:at+4:2}" "${crcs:at+2:2}" "${crcs:at:2}" "$name" "${1%.ko}"
	done
}

# The top: the tree's own Kbuild, then test modules, which DKMS doesn't know.
{
	if [ -n "$core" ]; then
		:
	elif [ -f "$TREE/Kbuild" ]; then
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

if [ -n "$core" ]; then
	exports "$core" >"$out/exports"
	set -- "$@" KBUILD_EXTRA_SYMBOLS="$(realpath "$out/exports")"
fi
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
