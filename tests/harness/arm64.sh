#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Compile modules, library, tools and benches for arm64: to see that they compile, nobody runs them.
# Debian's cross compiler and arm64 kernel headers are unpacked once into the cache (60 MB to
# download for a suite) and laid over the suite's root; the programs that the headers need (modpost)
# are this machine's, of Debian's linux-kbuild. Left out are the guest tests, for there is no guest,
# and bench/overhead, which counts instructions of an x86 guest.
#
# usage: arm64.sh [--modules] KERNEL OUT	modules in OUT/modules; programs, unless only
#	modules are asked for, in OUT/obj

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/harness/apt.sh
. "$(dirname "$0")/apt.sh"

# To be raised when the layer is made differently.
FORMAT=1
PREFIX=aarch64-linux-gnu-
PACKAGES="gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
APT_OPTIONS=(-o APT::Architectures::=amd64 -o APT::Architectures::=arm64)

# header_packages APT SERIES: the newest headers for arm64, and what of theirs is not arm64's.
header_packages() {
	local release
	release=$(private_apt "$1" apt-cache pkgnames "linux-headers-$2" |
		sed -nE "s/^linux-headers-(${2//./\\.}(\.[0-9]+)?(-[0-9]+|\+deb[0-9.]+)?)-arm64\$/\\1/p" |
		sort -V | tail -n 1)
	[ -n "$release" ] || die "no linux-headers-$2*-arm64 in this suite"
	echo "linux-headers-$release-arm64:arm64"
	private_apt "$1" apt-cache show --no-all-versions "linux-headers-$release-arm64:arm64" |
		sed -n 's/^Depends: //p' | tr ',' '\n' |
		sed -nE 's/^ *(linux-(headers|kbuild)-[^ ]*).*/\1/p'
}

# layer KERNEL DIR: what is laid over the root, and the release in DIR/release.
layer() {
	local kernel=$1 dir=$2 suite headers
	suite=$(kernel_field "$kernel" suite)
	rm -rf "$dir"
	index "$dir/apt" "$(kernel_field "$kernel" sources)"
	headers=$(header_packages "$dir/apt" "$(kernel_field "$kernel" series)")
	sed -nE '1s/^linux-headers-(.*):arm64$/\1/p' <<<"$headers" >"$dir/release"
	cp "$CACHE/roots/$suite/var/lib/dpkg/status" "$dir/apt/var/lib/dpkg/status"
	say "$kernel: $(cat "$dir/release"), and a cross compiler (60 MB to download)"
	# shellcheck disable=SC2086 # one package a word
	(
		cd "$dir/apt/var/cache/apt/archives"
		private_apt "$dir/apt" apt-get -qq download $headers
		private_apt "$dir/apt" apt-get \
			-qq -y --no-install-recommends --download-only install $PACKAGES
	) >&2
	mkdir "$dir/root"
	for package in "$dir"/apt/var/cache/apt/archives/*.deb; do
		dpkg-deb --extract "$package" "$dir/root"
	done
	# The root has the two in one, and a folder here would hide its link.
	if [ -d "$dir/root/lib" ]; then
		cp -a "$dir/root/lib/." "$dir/root/usr/lib/"
		rm -rf "$dir/root/lib"
	fi
	rm -rf "$dir/apt"
}

# Inside the root, with the layer: compile into /resch.
modules() {
	# without debugging information, which takes longer than all else
	"$HARNESS/kbuild.sh" "/lib/modules/$1/build" /resch CROSS_COMPILE=$PREFIX KCFLAGS=-Werror \
		CONFIG_DEBUG_INFO= \
		CONFIG_DEBUG_INFO_BTF_MODULES=
}

programs() {
	# Of libraries other than the C library there are only headers, this machine's: what is
	# theirs is not resolved.
	local folders
	folders=$(pkg-config --cflags-only-I libtracefs libtraceevent)
	export CC=${PREFIX}gcc AR=${PREFIX}ar PKG_CONFIG=true \
		CFLAGS="-O1 -Werror -idirafter /usr/include ${folders//-I/-idirafter }"
	export LDFLAGS=-Wl,--unresolved-symbols=ignore-all
	make() {
		command make -C "$TREE/$1" --no-print-directory -j"$(nproc)" O="/resch/obj/$1" \
			PREFIX=/resch "${@:2}"
	}
	make libresch all install
	make tools all
	make bench /resch/obj/bench/resch-{admission,exchange,latency,load,balance}
	make bench/sim all
}

if [ "${1-}" = --inside ]; then
	modules "$2"
	[ -n "$3" ] || programs
	exit
fi
only=
if [ "${1-}" = --modules ]; then
	only=$1
	shift
fi
[ $# -eq 2 ] || die "usage: arm64.sh [--modules] KERNEL OUT"
kernel=$1 out=$2
suite=$(kernel_field "$kernel" suite)
"$HARNESS/root.sh" "$kernel"
"$HARNESS/setup.sh" guest

final=$CACHE/arm64/$kernel
stamp=$FORMAT.$(kernel_field "$kernel" sources).${PACKAGES// /.}
mkdir -p "$CACHE/arm64" "$out"
exec 7>"$CACHE/arm64/$kernel.lock"
flock 7
if [ "$(cat "$final/stamp" 2>/dev/null)" != "$stamp" ]; then
	layer "$kernel" "$final.new" 7>&-
	echo "$stamp" >"$final.new/stamp"
	rm -rf "$final"
	mv "$final.new" "$final"
fi
"$HARNESS/in-root.sh" --over "$final/root" "$suite" "$out" \
	/src/tests/harness/arm64.sh --inside "$(cat "$final/release")" "$only" 7>&-
