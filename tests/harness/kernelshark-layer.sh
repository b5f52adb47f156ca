#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# KernelShark of a suite, with what its plugins are compiled against and with an X server that
# nobody sees: unpacked once into the cache (about 200 MB to download for a suite) and laid over the
# suite's root with in-root.sh --over, as guests have no use for it. Prints the folder.
#
# usage: kernelshark-layer.sh SUITE

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/harness/apt.sh
. "$(dirname "$0")/apt.sh"

# To be raised when the layer is made differently.
FORMAT=1

# Its menu is of the same Qt as KernelShark.
packages() {
	local qt=qt6-base-dev
	[ "$1" != bookworm ] || qt=qtbase5-dev
	echo "kernelshark libkshark-dev libglu1-mesa-dev $qt xvfb xkb-data xdotool fonts-freefont-ttf"
}

layer() {
	local suite=$1 dir=$2 package
	rm -rf "$dir"
	index "$dir/apt" "$(kernel_lines | awk -v s="$suite" \
		'{ split($2, a, "+") } a[1] == s { print $2; exit }')"
	cp "$CACHE/roots/$suite/var/lib/dpkg/status" "$dir/apt/var/lib/dpkg/status"
	say "$suite: KernelShark (about 200 MB to download)"
	# shellcheck disable=SC2046 # one package a word
	private_apt "$dir/apt" apt-get -qq -y --no-install-recommends --download-only install \
		$(packages "$suite") >&2
	mkdir "$dir/root"
	for package in "$dir"/apt/var/cache/apt/archives/*.deb; do
		dpkg-deb --extract "$package" "$dir/root"
	done
	# The root has the two in one, and a folder here would hide its link.
	for package in bin lib lib64 sbin; do
		if [ -d "$dir/root/$package" ] && [ ! -L "$dir/root/$package" ]; then
			mkdir -p "$dir/root/usr/$package"
			cp -a "$dir/root/$package/." "$dir/root/usr/$package/"
			rm -rf "${dir:?}/root/$package"
		fi
	done
	rm -rf "$dir/apt" "$dir/root/usr/share/"{doc,locale,man}
}

[ $# -eq 1 ] || die "usage: kernelshark-layer.sh SUITE"
suite=$1
[ -d "$CACHE/roots/$suite" ] || die "no root of $suite in the cache; run tests/harness/root.sh"
final=$CACHE/kernelshark/$suite
stamp="$FORMAT $(packages "$suite")"
if [ "$(id -u)" -ne 0 ] && [ "$(cat "$final/stamp" 2>/dev/null)" != "$stamp" ]; then
	mkdir -p "$CACHE"
	as_root env RESCH_CACHE="$CACHE" "$0" "$@"
	exit
fi
mkdir -p "$CACHE/kernelshark"
exec 7>"$CACHE/kernelshark/$suite.lock"
flock 7
if [ "$(cat "$final/stamp" 2>/dev/null)" != "$stamp" ]; then
	layer "$suite" "$final.new" 7>&-
	echo "$stamp" >"$final.new/stamp"
	rm -rf "$final"
	mv "$final.new" "$final"
fi
echo "$final/root"
