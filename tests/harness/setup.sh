#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Install, through apt, the Debian packages that a purpose needs and that are
# missing. Silent, and without network, when nothing is missing.
#
# usage: setup.sh install|build|bpf|guest|secureboot|lint|bench|model|plot|kernelshark|dkms...

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

kernelshark_qt() {
	case $(apt-cache show --no-all-versions libkshark-dev 2>/dev/null |
			sed -n 's/^Version: //p') in
	*2.[012].*) echo qtbase5-dev ;;
	*) echo qt6-base-dev ;;
	esac
}

packages_for() {
	case $1 in
	# what is installed is compiled with, and needs to run; nothing of the tests
	install) echo gcc make libc6-dev pkg-config libjson-c-dev libyaml-dev \
		libtracefs-dev libtraceevent-dev python3-minimal libpython3-stdlib ;;
	build) packages_for install && packages_for bpf &&
		echo libcmocka-dev g++ mypy python3-pip python3-setuptools python3-wheel \
			python3-pyte trace-cmd fish zsh git gnupg ;;
	# reschtop; where they are missing `make install` leaves it out
	secureboot) packages_for guest && echo ovmf sbsigntool efitools openssl ;;
	bpf) echo clang bpftool libbpf-dev libncurses-dev ;;
	guest) echo qemu-system-x86 mmdebstrap debian-archive-keyring ca-certificates cpio \
		zstd xz-utils lz4 e2fsprogs busybox-static python3-minimal libpython3-stdlib \
		binutils util-linux kmod ;;
	lint) echo shellcheck cppcheck clang-format sparse perl pyflakes3 ;;
	bench) packages_for guest && echo trace-cmd ;;
	model) echo gcc libc6-dev spin ;;
	plot) echo python3-matplotlib ;;
	# 2.2 is of Qt 5, what comes after of Qt 6
	kernelshark) echo kernelshark trace-cmd libkshark-dev libglu1-mesa-dev g++ make pkg-config \
		libtraceevent-dev libjson-c-dev \
		"$(kernelshark_qt)" ;;
	dkms) echo dkms gcc make "linux-headers-${RESCH_RELEASE:-$(uname -r)}" ;;
	*) die "no purpose '$1'; there are: install build bpf guest secureboot lint bench model plot" \
		"kernelshark dkms" ;;
	esac
}

installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

look() {
	local package
	missing=()
	for package in $(for purpose; do packages_for "$purpose"; done | tr ' ' '\n' | sort -u); do
		installed "$package" || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ]
}

look "$@" || exit 0
# One at a time: apt doesn't wait for another one's update.
mkdir -p "$CACHE"
exec 8>"$CACHE/.apt.lock"
flock 8
look "$@" || exit 0

say "installing for $*: ${missing[*]}"
apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=900
	-o Acquire::Retries=5)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
	as_root "${apt[@]}" install --no-install-recommends -y "${missing[@]}" >"$log" 2>&1 \
		</dev/null
}
# Package lists may be absent or old: fetch them only when they fail us.
if ! install && ! { as_root "${apt[@]}" update >&2 && install; }; then
	tail -n 20 "$log" >&2
	die "apt could not install: ${missing[*]}"
fi
