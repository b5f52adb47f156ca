#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# From packages to a service in real time, and after a reboot: in a clean root of the kernel's suite
# the Debian packages are built, and installed beside systemd in another one; that is booted twice,
# as tests/boot/first and tests/boot/again say.
#
# Packages are fetched from the archive, and emulated machines start slowly: `make boot-check` calls
# it, `make check` doesn't.
#
# usage: boot.sh [KERNEL...]	default: 6.1

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

PACKAGES="resch-dkms libresch0 reschctl"
export DEBIAN_FRONTEND=noninteractive

# Inside a root, as root: what somebody would type there.
inside() {
	local release=$1 log=/tmp/log debs=()
	for name in $PACKAGES; do
		debs+=(/resch/deb/"$name"_*.deb)
	done
	{
		apt-get -q -y update
		apt-get -q -y -o APT::Sandbox::User=root --no-install-recommends install \
			systemd systemd-sysv udev libpam-systemd
		apt-get -q -y -o APT::Sandbox::User=root --no-install-recommends install "${debs[@]}"
		# for this kernel, if that was not the one for which the package has compiled
		dkms autoinstall -k "$release"
	} >$log 2>&1 || {
		tail -n 40 $log >&2
		die "the packages could not be installed"
	}
	compgen -G "/lib/modules/$release/updates/dkms/resch.ko*" >/dev/null ||
		die "DKMS has made no modules for $release"
}

# boot KERNEL OUT TEST
boot() {
	say "$1: tests/boot/$3"
	"$HARNESS/guest" -k "$1" -t 900 -o "$2/$3" --disk "$2/disk.ext4" -- \
		"/resch/tests/boot/$3"
}

kernel() {
	local kernel=$1 out=$BUILD/boot/$1 suite
	suite=$(kernel_field "$kernel" suite)
	"$HARNESS/root.sh" "$kernel"
	mkdir -p "$out" "$BUILD/$kernel/tests"
	say "$kernel: packages of $suite"
	"$HARNESS/deb.sh" --build "$suite" "$out"
	"$HARNESS/in-root.sh" --keep "$out/disk.ext4" "$suite" "$out" \
		/src/tests/harness/boot.sh --inside "$(kernel_release "$kernel")"
	boot "$kernel" "$out" first
	boot "$kernel" "$out" again
	rm -f "$out/disk.ext4"
	say "$kernel: from packages to a service, and after a reboot: as it should be"
}

if [ "${1-}" = --inside ]; then
	inside "$2"
	exit
fi
for kernel in "${@:-6.1}"; do
	kernel "$kernel"
done
