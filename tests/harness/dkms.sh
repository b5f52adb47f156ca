#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The modules and this machine's DKMS.
#
# DKMS_KERNEL names a kernel release other than the running one, DKMS_CONFIG a
# file with its configuration.
#
# usage: dkms.sh check	can this kernel have them? Says what it lacks, or that it is not tested
#        dkms.sh sources DIR	put their sources into DIR/usr/src
#        dkms.sh install	from /usr/src: build, install
#        dkms.sh uninstall	unload, and take back all that DKMS knows of them; goes on
#				whatever it meets, and its status says whether it met something
#        dkms.sh conf		print dkms.conf with its blanks filled in

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

# The kernel's Makefile is not to see what the top Makefile was given (O=, for one).
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES O

name=resch
version=$(cat "$TREE/VERSION")
release=${DKMS_KERNEL:-$(uname -r)}

# needs: the options of module/needs.
needs() {
	awk '/^CONFIG_/ { print $1 }' "$TREE/module/needs"
}

# modules: "ROOM NAME" of each that the Kbuild files make.
modules() {
	sed -nE 's/^obj-m \+= (.*)\.o$/module \1/p' "$TREE/module/Kbuild"
	plugins | sed 's/^/plugins resch-/'
}

conf() {
	local room module i=0
	sed -e "s/@VERSION@/$version/" -e "s/@NEEDS@/$(needs | paste -sd' ')/" -e '/^@MODULES@$/d' \
		"$TREE/dkms.conf"
	modules | while read -r room module; do
		printf '%s[%d]="%s"\n' BUILT_MODULE_NAME $i "$module" BUILT_MODULE_LOCATION $i \
			"$room" \
			DEST_MODULE_LOCATION $i /updates/dkms
		i=$((i + 1))
	done
}

# The kernel's configuration: of its headers, of its image, of the running one. Nothing where there
# is none.
configuration() {
	local file
	for file in ${DKMS_CONFIG:+"$DKMS_CONFIG"} "/lib/modules/$release/build/.config" \
		"/boot/config-$release"; do
		[ ! -r "$file" ] || {
			cat "$file"
			return
		}
	done
	if [ "$release" = "$(uname -r)" ] && [ -r /proc/config.gz ]; then
		zcat /proc/config.gz
	fi
}

# tested RELEASE: is its series one that the tests boot?
tested() {
	local series
	for series in $(kernel_series); do
		[[ $1 != "$series"[.-]* ]] || return 0
	done
	return 1
}

check() {
	local config lacks
	[ "$(uname -m)" = x86_64 ] ||
		die "this machine is $(uname -m); resch is for x86_64"
	config=$(configuration)
	if [ -n "$config" ]; then
		lacks=$(needs | while read -r option; do
			grep -qx "$option=[ym]" <<<"$config" || echo "$option"
		done | paste -sd' ')
		[ -z "$lacks" ] ||
			die "kernel $release lacks $lacks, which resch needs (docs/kernels.md)"
	fi
	tested "$release" ||
		say "kernel $release has what resch needs, but is of a series that is not tested;" \
		"tested are $(kernel_series | paste -sd' ')"
}

sources() {
	local to=$1/usr/src/$name-$version part
	rm -rf "$to"
	mkdir -p "$to/tests"
	conf >"$to/dkms.conf"
	for part in Kbuild VERSION module plugins uapi tests/kernels.list; do
		cp -r "$TREE/$part" "$to/$part"
	done
}

# Every released version that DKMS knows goes, not only this one; what it can't take back is swept
# away.
forget() {
	local known left
	if command -v dkms >/dev/null; then
		dkms status -m "$name" | sed -nE "s,^${name}[/, ]+([^,: ]+).*,\\1,p" | sort -u |
			while read -r known; do
				dkms remove -m "$name" -v "$known" --all ||
					say "dkms remove $name/$known failed: swept away"
				rm -rf "/usr/src/${name:?}-$known"
			done || true
	fi
	rm -rf "/var/lib/dkms/${name:?}"
	left=$(find /lib/modules -path "*/updates/dkms/$name*.ko*" -regextype posix-extended \
		-regex ".*/$name(-[a-z0-9]+)?\.ko(\.(xz|zst|gz))?" 2>/dev/null || true)
	[ -n "$left" ] || return 0
	xargs rm -f <<<"$left"
	cut -d/ -f4 <<<"$left" | sort -u | while read -r known; do
		rmdir "/lib/modules/$known/updates/dkms" "/lib/modules/$known/updates" \
			2>/dev/null || true
		depmod "$known" 2>/dev/null || true
	done
}

# Modules that are loaded and idle go; ones in use are the user's business.
unload() {
	local loaded
	if [ "$release" != "$(uname -r)" ] || [ ! -r /proc/modules ]; then
		return 0
	fi
	loaded=$(awk -v n="$name" '$1 ~ "^" n "(_|$)" { print $1 }' /proc/modules)
	# shellcheck disable=SC2086 # one module a word
	[ -z "$loaded" ] || rmmod $loaded || {
		loaded=$(paste -sd' ' <<<"$loaded")
		say "modules are in use and stay loaded: $loaded; end the programs that have" \
			"/dev/resch open, then: modprobe -r resch"
		return 1
	}
}

install() {
	if ! command -v dkms >/dev/null || [ ! -e "/lib/modules/$release/build/Makefile" ]; then
		RESCH_RELEASE=$release "$HARNESS/setup.sh" dkms
	fi
	if ! dkms install -m "$name" -v "$version" -k "$release"; then
		cat "/var/lib/dkms/$name/$version/build/make.log" >&2 || true
		die "DKMS could not build or install $name $version; see above"
	fi
}

case ${1-} in
conf | check | forget | install) "$1" ;;
sources) sources "${2?where to}" ;;
uninstall)
	status=0
	unload || status=1
	forget || status=1
	exit $status
	;;
*) die "usage: dkms.sh check|sources DIR|install|uninstall|conf" ;;
esac
