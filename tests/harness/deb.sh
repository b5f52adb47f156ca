#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Debian packages of this tree, in OUT/deb: built in a copy, whose changelog is
# made from VERSION and the time of the last commit.
#
# usage: deb.sh OUT
#        deb.sh --build SUITE OUT	in a clean root of a suite
#        deb.sh --test SUITE	in a clean root of a suite: build, lintian, install,
#				use, remove, purge; nothing may be left
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

changelog() {
	local version when
	version=$(cat "$TREE/VERSION")
	when=$(git -C "$TREE" log -1 --format=%ct 2>/dev/null || stat -c %Y "$TREE/VERSION")
	printf 'resch (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n' "$version"
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

build() {
	local out=$1/deb work=$1/deb/resch
	rm -rf "$out"
	mkdir -p "$work"
	files | (
		cd "$TREE"
		while read -r f; do [ ! -e "$f" ] || echo "$f"; done | tar -cf - -T -
	) | tar -C "$work" -xf -
	changelog >"$work/debian/changelog"
	# shellcheck disable=SC2046 # nothing, or a word
	(cd "$work" && dpkg-buildpackage -us -uc -b $(profile) "${@:2}")
	rm -rf "$work"
	(cd "$out" && ls -- *.deb)
}

# Everything in the root but what apt, dpkg and DKMS keep for themselves, the folders of who enables
# services, and the files of before that whoever makes a group leaves.
listing() {
	(cd / && find . -xdev \( -path ./tmp -o -path ./resch -o -path ./src -o -path ./cache \
		-o -path ./proc -o -path ./dev -o -path ./var/lib/dpkg -o -path ./var/cache \
		-o -path ./var/lib/apt -o -path ./var/log \) -prune -o -print |
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

# build_inside OUT: in a root, as root, with what that needs.
build_inside() {
	apt update
	# shellcheck disable=SC2086 # words
	apt install $NEEDED "$(qt qtbase5-dev qt6-base-dev)"
	build "$1" >/tmp/build.log 2>&1 || {
		tail -n 60 /tmp/build.log >&2
		die "the packages were not built"
	}
	say "built: $(cd "$1/deb" && echo *.deb)"
}

# Inside a root, as root.
inside() {
	local release debs
	build_inside /tmp
	apt install lintian
	lintian --fail-on error,warning --profile debian /tmp/deb/*.changes ||
		die "lintian has something to say"

	release=$(cd /lib/modules && echo * | cut -d' ' -f1)
	debs=$(echo /tmp/deb/*.deb)
	# what others' packages leave is not ours: they are there before
	# shellcheck disable=SC2086 # words
	apt satisfy "$(needed $debs)"
	listing >/tmp/before
	# shellcheck disable=SC2086
	apt install $debs
	[ -e "/lib/modules/$release/updates/dkms/resch.ko" ] ||
		compgen -G "/lib/modules/$release/updates/dkms/resch.ko.*" >/dev/null || {
		cat /var/lib/dkms/resch/*/build/make.log >&2 || true
		die "DKMS has made no modules for $release"
	}
	for test in library python tools kernelshark plugin-headers; do
		"/src/debian/tests/$test" >/tmp/test.log 2>&1 || {
			cat /tmp/test.log >&2
			die "debian/tests/$test"
		}
	done
	say "installed, and used: library python tools kernelshark plugin-headers"
	apt remove resch-dkms libresch0 libresch-dev python3-resch reschctl reschtop \
		resch-trace-tools kernelshark-resch resch-plugin-dev
	dpkg --purge resch-dkms libresch0 libresch-dev python3-resch reschctl reschtop \
		resch-trace-tools kernelshark-resch resch-plugin-dev >"$log" 2>&1 ||
		die "purge: $(tail -n 3 "$log")"
	listing >/tmp/after
	diff /tmp/before /tmp/after ||
		die "purged packages leave these files (>), or take others (<)"
	say "removed and purged: nothing is left"
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
