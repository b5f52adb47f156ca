#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Put a newer QEMU into the cache where this machine's is too old for deterministic guests
# (tests/harness/guest says why): Debian packages of the suite below, unpacked beside each other and
# run by their own dynamic linker. Nothing is installed. Silent, and without network, when it's
# there or not needed.
#
# usage: qemu.sh [--there]
#        --there: only say, by the status, whether there is nothing to do

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/harness/apt.sh
. "$(dirname "$0")/apt.sh"

SUITE=trixie
GOOD_ENOUGH=8.1

# This machine's version, 0 when it has none.
version() {
	local words
	words=$(qemu-system-x86_64 --version 2>/dev/null || true)
	sed -nE '1s/.*version ([0-9]+(\.[0-9]+)*).*/\1/p' <<<"${words:-version 0}"
}

there() {
	[ -x "$CACHE/qemu/qemu-system-x86_64" ] ||
		printf '%s\n' "$GOOD_ENOUGH" "$(version)" | sort -VC
}

if [ "${1-}" = --there ]; then
	there
	exit
fi
mkdir -p "$CACHE"
exec 7>"$CACHE/.qemu.lock"
flock 7
! there || exit 0
"$HARNESS/setup.sh" guest
! there || exit 0

new=$CACHE/.qemu.new
rm -rf "$new"
say "a newer QEMU than $(version), from $SUITE (40 MB to download)"
index "$new/apt" "$SUITE"
transport >"$new/apt/etc/apt/apt.conf.d/transport"
private_apt "$new/apt" apt-get -qq -y --no-install-recommends --download-only install \
	qemu-system-x86 >&2
mkdir "$new/root"
for package in "$new"/apt/var/cache/apt/archives/*.deb; do
	dpkg-deb --extract "$package" "$new/root"
done
rm -rf "$new/apt"
cat >"$new/qemu-system-x86_64" <<-END
	#!/bin/sh
	root=\$(dirname "\$(readlink -f "\$0")")/root
	exec "\$root/usr/lib64/ld-linux-x86-64.so.2" \\
		--library-path "\$root/usr/lib/x86_64-linux-gnu" \\
		"\$root/usr/bin/qemu-system-x86_64" -L "\$root/usr/share/qemu" \\
		-L "\$root/usr/share/seabios" "\$@"
END
chmod +x "$new/qemu-system-x86_64"
"$new/qemu-system-x86_64" --version >/dev/null
rm -rf "$CACHE/qemu"
mv "$new" "$CACHE/qemu"
