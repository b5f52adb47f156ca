#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build, once, a debug kernel out of Debian's source package of the oldest
# supported series, with that suite's compiler, and add it to the cache under
# the name SERIES-KIND: "guest -k 6.1-kasan" and "build.sh --kbuild 6.1-kasan"
# then work as with any other kernel. 15 to 25 minutes on two cores, 140 MB to
# download, 130 MB to keep.
#
# usage: debug-kernel.sh kasan|kcsan

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/harness/apt.sh
. "$(dirname "$0")/apt.sh"

# What the build needs beyond a suite's root.
TOOLS="flex bison bc lz4 xz-utils"

# Inside the root, with the unpacked source in /resch/src.
compile() {
	local kind=$1
	dpkg -i /resch/apt/var/cache/apt/archives/*.deb >/dev/null
	cd /resch/src
	make -s tinyconfig
	scripts/kconfig/merge_config.sh -m .config kernel/configs/kvm_guest.config \
		/src/tests/harness/debug-kernel-common.config \
		"/src/tests/harness/debug-kernel-$kind.config" >/dev/null
	make -s olddefconfig
	nice -n "${NICE:-10}" make -s -j"$(nproc)" KBUILD_BUILD_TIMESTAMP=0 bzImage modules
	make -s kernelrelease >../release
}

# keep DIR: from the built source in DIR/src, what boots and what modules are built with.
keep() {
	mkdir "$1/build"
	cp "$1/src/arch/x86/boot/bzImage" "$1/bzImage"
	(cd "$1/src" && find Makefile Kbuild .config Module.symvers include scripts \
		arch/x86/include arch/x86/Makefile* tools/objtool/objtool -print0 |
		grep -zvE '\.o$|\.cmd$' | tar -cf - --no-recursion --null -T -) | tar -C "$1/build" -xf -
	rm -rf "$1/src" "$1/apt" "$1/deb" "$1"/*.deb
}

if [ "${1-}" = --inside ]; then
	compile "$2"
	exit
fi
if [ $# -ne 1 ] || [ ! -f "$HARNESS/debug-kernel-$1.config" ]; then
	die "usage: debug-kernel.sh kasan|kcsan"
fi
kind=$1
base=$(kernel_names | head -n 1)
name=$base-$kind
suite=$(kernel_field "$base" suite)
package=linux-source-$(kernel_field "$base" series)
stamp=$(cat "$HARNESS"/debug-kernel-{common,"$kind"}.config | sha256sum | cut -d' ' -f1)
final=$CACHE/kernels/$name
if [ "$(cat "$final/stamp" 2>/dev/null)" = "$stamp" ]; then
	exit 0
fi

"$HARNESS/root.sh" "$base"
work=$CACHE/kernels/.$name.new
rm -rf "$work"
mkdir -p "$work"
say "$name: fetching $package"
index "$work/apt" "$(kernel_field "$base" sources)"
cp "$CACHE/roots/$suite/var/lib/dpkg/status" "$work/apt/var/lib/dpkg/status"
# shellcheck disable=SC2086 # one package a word
private_apt "$work/apt" apt-get -qq -y -o APT::Install-Recommends=false --download-only \
	install $TOOLS >/dev/null
(cd "$work" && private_apt "$work/apt" apt-get -qq download "$package")
dpkg-deb -x "$work/$package"_*.deb "$work/deb"
mkdir "$work/src"
tar -C "$work/src" -xf "$work/deb/usr/src/$package.tar.xz" --strip-components=1
say "$name: compiling (15 to 25 minutes on two cores)"
"$HARNESS/in-root.sh" "$suite" "$work" /src/tests/harness/debug-kernel.sh --inside "$kind"
keep "$work"
cp "$CACHE/kernels/$base/initrd.cpio" "$work/initrd.cpio"
echo "$suite" >"$work/suite"
# finding interrupts through ACPI takes half a minute in this kernel
echo "pci=noacpi" >"$work/append"
echo "$stamp" >"$work/stamp"
rm -rf "$final"
mv "$work" "$final"
say "$name: $(cat "$final/release") is ready"
