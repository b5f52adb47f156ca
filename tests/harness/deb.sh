#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Debian packages of this tree, in OUT/deb: built in a copy, whose changelog is
# made from VERSION and the time of the last commit.
#
# usage: deb.sh OUT
#        deb.sh --build SUITE OUT	in a clean root of a suite
#        deb.sh --test SUITE	in a clean root of a suite: build, lintian, install, use (what
#				autopkgtest runs), upgrade from an older version, remove, purge;
#				nothing may be left
#
# In a root they are built with what the archive has, which takes minutes: `make deb-check` and
# `make boot-check` call that, `make check` doesn't.

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

NEEDED="build-essential debhelper dh-dkms dh-python dpkg-dev fakeroot libjson-c-dev libyaml-dev"
NEEDED+=" libtracefs-dev libtraceevent-dev"
NEEDED+=" pkg-config systemd-standalone-sysusers python3-all python3-minimal clang bpftool"
NEEDED+=" libbpf-dev libncurses-dev libkshark-dev libglu1-mesa-dev"
export DEBIAN_FRONTEND=noninteractive

# What git would have in a commit; without git, all but build.
files() {
	if git -C "$TREE" rev-parse --git-dir >/dev/null 2>&1; then
		git -C "$TREE" ls-files -co --exclude-standard
	else
		(cd "$TREE" &&
			find . -path ./build -prune -o \( -type f -o -type l \) -printf '%P\n')
	fi
}

# changelog VERSION
changelog() {
	local when
	when=$(git -C "$TREE" log -1 --format=%ct 2>/dev/null || stat -c %Y "$TREE/VERSION")
	printf 'resch (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n' "$1"
	printf ' -- %s  %s\n' "$(sed -n 's/^Maintainer: //p' "$TREE/debian/control")" \
		"$(date -R -u -d "@$when")"
}

# KernelShark 2.2, of bookworm, is of Qt 5, what comes after of Qt 6.
qt() {
	# not grep -q: who writes on when nobody reads any more has failed, too
	if apt-cache show --no-all-versions libkshark-dev 2>/dev/null |
		grep '^Version: 2\.[012]\.' >/dev/null; then
		echo "$1"
	else
		echo "${2-}"
	fi
}

profile() {
	qt -Ppkg.resch.qt5
}

# The tree as it is, in a folder.
copy() {
	mkdir -p "$1"
	files | (
		cd "$TREE"
		while read -r f; do [ ! -e "$f" ] || echo "$f"; done | tar -cf - -T -
	) | tar -C "$1" -xf -
}

# build OUT [VERSION]: as if that were its version
build() {
	local out=$1/deb work=$1/deb/resch
	rm -rf "$out"
	copy "$work"
	[ $# -lt 2 ] || echo "$2" >"$work/VERSION"
	changelog "$(cat "$work/VERSION")" >"$work/debian/changelog"
	# shellcheck disable=SC2046 # nothing, or a word
	(cd "$work" && dpkg-buildpackage -us -uc -b $(profile))
	rm -rf "$work"
	(cd "$out" && ls -- *.deb)
}

# Everything in the root but what apt, dpkg and DKMS keep for themselves, the folders of who enables
# services, and the files of before that whoever makes a group leaves.
listing() {
	(cd / && find . -xdev \( -path ./tmp -o -path ./resch -o -path ./src -o -path ./cache \
		-o -path ./proc -o -path ./dev -o -path ./var/lib/dpkg -o -path ./var/cache \
		-o -path ./var/lib/apt -o -path ./var/lib/app-info -o -path ./var/lib/swcatalog \
		-o -path ./var/log \) -prune -o -print |
		grep -vE '^\./(var/lib/dkms(/(mok\.|dkms_dbversion).*)?|etc/ld\.so\.cache|etc/g(roup|shadow)-)$' |
		grep -vE '^\./(etc/systemd(/system)?|var/lib/systemd(/deb-systemd-helper-[a-z]*)?)$' |
		sort)
}

# needed DEB...: what they depend on, but each other.
needed() {
	local deb
	for deb; do dpkg-deb -f "$deb" Depends; done | tr ',' '\n' |
		sed 's/^ *//; /^$/d; /resch/d' | sort -u | paste -sd,
}

# In a root: apt, without a word but where it fails.
log=/tmp/apt.log
apt() {
	apt-get -q -y -o APT::Sandbox::User=root --no-install-recommends "$@" >"$log" 2>&1 || {
		tail -n 30 "$log" >&2
		die "apt-get $*"
	}
}

# build_quietly OUT [VERSION]
build_quietly() {
	build "$@" >/tmp/build.log 2>&1 || {
		tail -n 60 /tmp/build.log >&2
		die "the packages were not built"
	}
	say "built: $(cd "$1/deb" && echo *.deb)"
}

# build_inside OUT: in a root, as root, with what that needs.
build_inside() {
	apt update
	# shellcheck disable=SC2086 # words
	apt install $NEEDED "$(qt qtbase5-dev qt6-base-dev)"
	build_quietly "$1"
}

# What was installed is compiled for the root's kernel, in this version and no other.
compiled() {
	local release module status
	release=$(cd /lib/modules && echo * | cut -d' ' -f1)
	module=$(compgen -G "/lib/modules/$release/updates/dkms/resch.ko*") || {
		cat /var/lib/dkms/resch/*/build/make.log >&2 || true
		die "DKMS has made no modules for $release"
	}
	[ "$(modinfo -F version "$module")" = "$1" ] ||
		die "$module is of version $(modinfo -F version "$module"), not $1"
	status=$(dkms status resch)
	if [ -z "$status" ] || grep -v "^resch/$1, .*installed" <<<"$status"; then
		die "dkms status: $status"
	fi
}

# debian/tests, as who runs Debian's packages' tests does: on the packages that are installed.
use() {
	local said=0
	copy /tmp/source
	changelog "$(cat "$TREE/VERSION")" >/tmp/source/debian/changelog
	PYTHONDONTWRITEBYTECODE=1 autopkgtest --no-built-binaries \
		--output-dir=/tmp/autopkgtest /tmp/deb/*.deb /tmp/source/ -- null \
		>/tmp/autopkgtest.log 2>&1 || said=$?
	# 2: some were skipped; there is none that may be
	[ $said -eq 0 ] || {
		tail -n 60 /tmp/autopkgtest.log >&2
		die "autopkgtest ends with $said"
	}
	say "installed, and used by autopkgtest: $(tr '\n' ' ' </tmp/autopkgtest/summary)"
}

purge() {
	apt remove "${PACKAGES[@]}"
	dpkg --purge "${PACKAGES[@]}" >"$log" 2>&1 || die "purge: $(tail -n 3 "$log")"
	same /tmp/before "purged packages leave these files (>), or take others (<)"
}

# same FILE WORDS: as the listing that is there
same() {
	listing >/tmp/now
	diff "$1" /tmp/now || die "$2"
}

PACKAGES=(resch-dkms libresch0 libresch-dev python3-resch reschctl reschtop resch-trace-tools
	kernelshark-resch resch-plugin-dev)
OLDER=0.0.9

# Inside a root, as root.
inside() {
	local debs version mine=/etc/resch/50-mine.yaml
	version=$(cat "$TREE/VERSION")
	build_inside /tmp
	build_quietly /tmp/older $OLDER
	apt install lintian autopkgtest apt-utils kmod gcc libc6-dev pkgconf mypy
	lintian --fail-on error,warning --profile debian /tmp/deb/*.changes ||
		die "lintian has something to say"

	debs=$(echo /tmp/deb/*.deb)
	# what others' packages leave is not ours: they are there before
	# shellcheck disable=SC2086 # words
	apt satisfy "$(needed $debs)"
	listing >/tmp/before
	# shellcheck disable=SC2086
	apt install $debs
	compiled "$version"
	use
	listing >/tmp/installed
	purge
	say "removed and purged: nothing is left"

	apt install /tmp/older/deb/*.deb
	compiled $OLDER
	echo "domains: []" >$mine
	# shellcheck disable=SC2086
	apt install $debs
	compiled "$version"
	[ "$(cat $mine)" = "domains: []" ] || die "$mine is not as it was"
	rm $mine
	same /tmp/installed "an upgrade leaves these files (>), or has not these (<)"
	purge
	say "upgraded from $OLDER, removed and purged: nothing is left"
}

case ${1-} in
--inside) inside ;;
--build-inside) build_inside /resch ;;
--build)
	mkdir -p "$3"
	"$HARNESS/in-root.sh" "$2" "$3" /src/tests/harness/deb.sh --build-inside
	;;
--test)
	suite=${2?which suite}
	mkdir -p "$BUILD/deb-$suite"
	"$HARNESS/in-root.sh" "$suite" "$BUILD/deb-$suite" /src/tests/harness/deb.sh --inside
	;;
'' | -*) die "usage: deb.sh OUT | --build SUITE OUT | --test SUITE" ;;
*) build "$1" ;;
esac
