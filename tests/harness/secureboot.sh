#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Secure Boot: a machine whose owner has enrolled a key takes the modules that DKMS has signed with
# that, and no others.
#
# The guest boots by UEFI (OVMF), twice: without keys, when tests/secureboot/enrol puts the owner's
# into the firmware, as its menu would, and into the list of the shim, as `mokutil --import` and the
# shim's menu would; then with Secure Boot on, when tests/secureboot/enforced looks. The kernel's
# image is signed with the key of the firmware, the modules with the other one. The shim itself has
# no part in it: its list is written as it leaves it to the kernel.
#
# A guest with firmware takes minutes: `make secureboot-check` calls it, `make check` doesn't.
#
# usage: secureboot.sh [KERNEL...]	default: 6.1 6.12; built by build.sh before

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

OWNER=11111111-2222-3333-4444-123456789abc

# key NAME: NAME.key, NAME.pem, NAME.der; one that signs modules, as DKMS makes it
key() {
	[ -f "$1.der" ] && return
	openssl req -new -x509 -newkey rsa:2048 -nodes -days 36500 -batch -subj "/CN=resch test $1/" \
		-addext "extendedKeyUsage=codeSigning,1.3.6.1.4.1.311.10.3.6" \
		-keyout "$1.key" -out "$1.pem" 2>/dev/null
	openssl x509 -in "$1.pem" -outform DER -out "$1.der"
}

# variable NAME LIST ISSUER: what is written to the variable to have the key in it
variable() {
	sign-efi-sig-list -g "$OWNER" -k "$3.key" -c "$3.pem" "$1" "$2" "$1.auth" >/dev/null
}

keys() {
	local name
	for name in firmware mok stranger; do
		key $name
		cert-to-efi-sig-list -g "$OWNER" "$name.pem" "$name.list"
	done
	for name in db KEK PK; do
		variable $name firmware.list firmware
	done
}

# sign_modules FROM SIGN_FILE...: three of one module: of the enrolled key, of another, of none
sign_modules() {
	local name
	for name in mok stranger; do
		mkdir -p $name
		cp "$1"/*.ko $name/
		for module in "$name"/*.ko; do
			"$2" sha256 $name.key $name.der "$module"
		done
	done
	mkdir -p unsigned
	cp "$1"/*.ko unsigned/
	strip --strip-debug unsigned/*.ko
}

# boot KERNEL TEST
boot() {
	say "$1: tests/secureboot/$2"
	"$HARNESS/guest" -k "$1" -t 900 -c 2 -o "$2" --firmware vars.fd --image vmlinuz \
		-- "/resch/tests/secureboot/$2"
}

kernel() {
	local kernel=$1 out=$BUILD/$1/secureboot root release
	root=$CACHE/roots/$(kernel_field "$kernel" suite)
	release=$(kernel_release "$kernel")
	[ -e "$BUILD/$kernel/modules/resch.ko" ] || "$HARNESS/build.sh" "$kernel"
	mkdir -p "$out"
	cd "$out"
	keys
	rm -rf mok stranger unsigned
	sign_modules "$BUILD/$kernel/modules" "$root"/usr/lib/linux-kbuild-*/scripts/sign-file
	sbsign --key firmware.key --cert firmware.pem --output vmlinuz \
		"$root/boot/vmlinuz-$release" 2>/dev/null
	cp /usr/share/OVMF/OVMF_VARS_4M.fd vars.fd
	boot "$kernel" enrol
	boot "$kernel" enforced
	say "$kernel: signed modules are taken, others are refused"
}

"$HARNESS/setup.sh" secureboot
[ $# -gt 0 ] || set -- 6.1 6.12
for kernel; do
	(kernel "$kernel")
done
