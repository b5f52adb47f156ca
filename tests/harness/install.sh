#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "make install": the kernel is looked at first; then all is made and put into a
# stage under OUT; then it goes to its places, with a list of what was put where,
# by which "make uninstall" takes it away again, whatever tree or version that is
# called from. With a DESTDIR (packaging) nothing but files in it is touched.
#
# usage: install.sh install|uninstall PREFIX OUT [DESTDIR]
#        V=1: show every command

set -euo pipefail
umask 022
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

[ $# -ge 3 ] || die "usage: install.sh install|uninstall PREFIX OUT [DESTDIR]"
action=$1 prefix=$2 out=$3 destdir=${4-}
[[ $prefix == /* ]] || die "PREFIX=$prefix: it begins with a slash"
# files and directories that an install has made, each a line that begins with a slash
list=$prefix/share/resch/installed
stage=$out/stage
quiet=()
[ -n "${V-}" ] || quiet=(-s --no-print-directory)

# room NAME MAKE-ARGUMENTS...
room() {
	local name=$1
	shift
	make "${quiet[@]}" -C "$TREE/$name" O="$out/obj/$name" PREFIX="$prefix" "$@"
}

fill_stage() {
	rm -rf "$stage"
	mkdir -p "$stage"
	room libresch DESTDIR="$stage" all install install-python
	room tools DESTDIR="$stage" all install install-system
	room tools/top DESTDIR="$stage" SKELETON="$out/reschtop.skel.h" all install
	room tools/kernelshark DESTDIR="$stage" all install
	room tools/trace DESTDIR="$stage" all install
	room bench DESTDIR="$stage" install-tools
	"$HARNESS/dkms.sh" sources "$stage"
}

# remove LIST KEEP: what LIST names and KEEP doesn't; directories when they are empty. Status 1:
# some stay.
remove() {
	local path status=0
	while read -r path; do
		if [ -L "$destdir$path" ] || [ ! -d "$destdir$path" ]; then
			rm -f "$destdir$path" || status=1
		else
			rm -rf "$destdir$path/__pycache__"
			rmdir --ignore-fail-on-non-empty "$destdir$path" || status=1
		fi
	done < <(sort -r "$1" | grep -vxF -f "$2")
	return $status
}

# Directories of the stage that are not there yet, or that an earlier install made; then its files.
new_list() {
	local directory
	(cd "$stage" && find . -mindepth 1 -type d -printf '/%P\n') | while read -r directory; do
		if [ ! -d "$destdir$directory" ] || grep -qsxF -e "$directory" "$destdir$list"; then
			echo "$directory"
		fi
	done
	(cd "$stage" && find . ! -type d -printf '/%P\n')
	echo "$list"
}

# Where systemd runs: it has the services, the group is there, and the device gets it.
system_told() {
	[ -z "$destdir" ] && [ "$(id -u)" -eq 0 ] && [ -d /run/systemd/system ] || return 0
	[ "$1" = uninstall ] || systemd-sysusers "$prefix/lib/sysusers.d/resch.conf" || true
	systemctl daemon-reload || true
	udevadm control --reload || true
}

linker_cache() {
	if [ -z "$destdir" ] && [ "$(id -u)" -eq 0 ]; then
		ldconfig || true
	fi
}

# What root has made in somebody's tree is his: he goes on there without sudo.
give_to_owner() {
	[ "$(id -u)" -ne 0 ] || [ "$(stat -c %u "$TREE")" -eq 0 ] ||
		find "$BUILD" "$out" -user 0 -exec chown -h --reference="$TREE" {} + 2>/dev/null ||
		true
}

do_install() {
	trap give_to_owner EXIT
	if [ -z "$destdir" ]; then
		[ "$(id -u)" -eq 0 ] || die "needs root: sudo make install"
		"$HARNESS/dkms.sh" check
		"$HARNESS/setup.sh" install
	fi
	say "compiling library and tools: a minute or two"
	fill_stage
	mkdir -p "$stage$(dirname "$list")"
	new_list | sort -u >"$out/installed"
	cp "$out/installed" "$stage$list"
	if [ -f "$destdir$list" ]; then
		cp "$destdir$list" "$out/installed.before"
		remove "$out/installed.before" "$out/installed" || true
	fi
	[ -n "$destdir" ] || "$HARNESS/dkms.sh" forget
	mkdir -p "$destdir/"
	(cd "$stage" && find . ! -type d -print0 | tar --null --owner=0 --group=0 -cf - -T -) |
		tar --no-same-owner -C "$destdir/" -xf -
	linker_cache
	system_told install
	count=$(grep -c . "$out/installed")
	say "$count files and folders under ${destdir}$prefix; make uninstall takes them away"
	rm -rf "$stage"
	[ -n "$destdir" ] && return
	say "compiling modules for the kernel that runs"
	"$HARNESS/dkms.sh" install
}

do_uninstall() {
	local problems=0 before
	if [ -z "$destdir" ]; then
		[ "$(id -u)" -eq 0 ] || die "needs root: sudo make uninstall"
		if [ -d /run/systemd/system ]; then
			systemctl disable --now resch-shield.service resch.service \
				2>/dev/null || true
		fi
		"$HARNESS/dkms.sh" uninstall || problems=1
	fi
	if [ -f "$destdir$list" ]; then
		before=$(mktemp)
		cp "$destdir$list" "$before"
		remove "$before" /dev/null || problems=1
		rm -f "$before"
	else
		say "nothing of resch is listed as installed under $destdir$prefix"
	fi
	linker_cache
	system_told uninstall
	[ $problems -eq 0 ] || die "all else is removed, but not what is named above"
}

case $action in
install | uninstall) "do_$action" ;;
*) die "usage: install.sh install|uninstall PREFIX OUT [DESTDIR]" ;;
esac
