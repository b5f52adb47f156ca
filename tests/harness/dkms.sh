#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Hand the modules to this machine's DKMS, or take them back. With a DESTDIR
# (packaging) only their sources are put in place.
#
# DKMS_KERNEL names a kernel release other than the running one.
#
# usage: dkms.sh install|uninstall [DESTDIR]
#        dkms.sh conf		print dkms.conf with its blanks filled in

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

# The kernel's Makefile is not to see what the top Makefile was given (O=, for one).
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES O

action=$1 destdir=${2-}
name=resch
version=$(cat "$TREE/VERSION")
sources=$destdir/usr/src/$name-$version
release=${DKMS_KERNEL:-$(uname -r)}

# The supported kernels as a pattern of releases: 6.1.0-56-amd64, 6.12.117+deb13-rt-amd64.
kernels_pattern() {
	local series
	series=$(kernel_names | sed 's/-.*//; s/\./[.]/g' | sort -uV | paste -sd'|')
	echo "^($series)[.-]"
}

conf() {
	sed -e "s/@VERSION@/$version/" -e "s/@KERNELS@/$(kernels_pattern | sed 's/|/\\|/g')/" \
		"$TREE/dkms.conf"
}

# Every released version that DKMS knows goes, not only this one.
forget() {
	local known
	dkms status -m "$name" | sed -nE "s,^${name}[/, ]+([^,: ]+).*,\\1,p" | sort -u |
		while read -r known; do
			dkms remove -m "$name" -v "$known" --all
			rm -rf "/usr/src/${name:?}-$known"
		done
}

# Modules that are loaded and idle go; ones in use are the user's business.
unload() {
	local loaded
	[ "$release" = "$(uname -r)" ] || return 0
	loaded=$(awk -v n="$name" '$1 ~ "^" n "(_|$)" { print $1 }' /proc/modules)
	# shellcheck disable=SC2086 # one module a word
	[ -z "$loaded" ] || rmmod $loaded ||
		die "modules are in use: $(paste -sd' ' <<<"$loaded"); end the programs that have /dev/resch open"
}

case $action in
conf)
	conf
	exit
	;;
install | uninstall) ;;
*) die "usage: dkms.sh install|uninstall|conf [DESTDIR]" ;;
esac

if [ -z "$destdir" ]; then
	[ "$(id -u)" -eq 0 ] || die "needs root: sudo make $action"
	[ "$action" = install ] || unload
	if [ "$action" = install ]; then
		[[ $release =~ $(kernels_pattern) ]] ||
			die "kernel $release is not supported; supported are $(kernel_names | paste -sd' ')"
		if ! command -v dkms >/dev/null || [ ! -e "/lib/modules/$release/build/Makefile" ]; then
			RESCH_RELEASE=$release "$HARNESS/setup.sh" dkms
		fi
	fi
	! command -v dkms >/dev/null || forget
fi
rm -rf "$sources"
[ "$action" = install ] || exit 0

mkdir -p "$sources"
conf >"$sources/dkms.conf"
for part in Kbuild VERSION module plugins uapi; do
	cp -r "$TREE/$part" "$sources/"
done
if [ -z "$destdir" ]; then
	if ! dkms install -m "$name" -v "$version" -k "$release"; then
		cat "/var/lib/dkms/$name/$version/build/make.log" >&2 || true
		die "DKMS could not build or install $name $version; see above"
	fi
fi
