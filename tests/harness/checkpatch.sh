#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Fetch the kernel's checkpatch.pl, once, into the cache, and run it. No binary
# package has it, so it comes out of the source package of the oldest supported
# kernel (140 MB to download, 100 KB to keep).
#
# usage: checkpatch.sh ARGS...

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/harness/apt.sh
. "$(dirname "$0")/apt.sh"

kernel=$(kernel_names | head -n 1)
package=linux-source-$(kernel_field "$kernel" series)
dir=$CACHE/checkpatch/$package

if [ ! -f "$dir/checkpatch.pl" ]; then
	say "fetching checkpatch.pl from $package (once)"
	mkdir -p "$CACHE/checkpatch"
	work=$(mktemp -d "$CACHE/checkpatch/new.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	index "$work/apt" "$(kernel_field "$kernel" sources)"
	(cd "$work" && private_apt "$work/apt" apt-get -qq download "$package")
	dpkg-deb -x "$work/$package"_*.deb "$work/deb"
	tar -C "$work" -xf "$work/deb/usr/src/$package.tar.xz" --strip-components=2 \
		"$package/scripts/"{checkpatch.pl,spelling.txt,const_structs.checkpatch}
	mkdir -p "$dir"
	mv "$work"/{spelling.txt,const_structs.checkpatch,checkpatch.pl} "$dir/"
fi
perl "$dir/checkpatch.pl" "$@"
