#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build, once, a debug kernel of a supported series out of Debian's source
# package, with that suite's compiler, and add it to the cache: "guest -k
# 6.12-rt-kasan" and "build.sh --kbuild 6.12-rt-kasan" then work as with any
# other kernel. 8 to 25 minutes on two cores that have nothing else to do,
# 140 MB to download, 130 MB to keep.
#
# Its configuration is the smallest that there is, then debug-kernel-common.config
# and -KIND.config, then -later.config, but for the oldest series, and -rt.config.
# debug-kernel-kasan.sed changes a line of its source.
#
# usage: debug-kernel.sh SERIES[-rt]-KIND, where KIND is kasan, kcsan or gcov
#        NICE=19 leaves the machine to others; 10 otherwise

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/harness/apt.sh
. "$(dirname "$0")/apt.sh"

# What the build needs beyond a suite's root.
TOOLS="flex bison bc lz4 xz-utils"

# configs NAME DIR: the files in DIR with the options that the kernel gets; where two differ the
# later one wins.
configs() {
	local part parts
	parts="common $(kernel_debug "$1")"
	[ "$(kernel_field "$1" series)" = "$(kernel_names | head -n 1)" ] || parts="$parts later"
	case $1 in
	*-rt-*) parts="$parts rt" ;;
	esac
	for part in $parts; do
		echo "$2/debug-kernel-$part.config"
	done
}

# asked FILE...: the options that these files together turn on; where two differ the later one wins.
asked() {
	awk -F '[= ]' '
		/^CONFIG_/ { on[$1] = $2 == "y" || $2 == "m" }
		/^# CONFIG_/ { on[$2] = 0 }
		END { for (option in on) if (on[option]) print option }' "$@" | sort
}

# Whether the kernel in this directory has OPTION.
configured() {
	grep -qx "$1=[ym]" .config
}

# Whether its series knows OPTION at all: some have gone, and what they turned on is always there.
known() {
	grep -rqE --include='Kconfig*' "^(menu)?config ${1#CONFIG_}\$" .
}

# Inside the root, with the unpacked source in /resch/src: compile NAME.
compile() {
	local name=$1 patch
	dpkg -i /resch/apt/var/cache/apt/archives/*.deb >/dev/null
	cd /resch/src
	if [ -d /resch/debian/patches-rt ]; then
		while read -r patch _; do
			patch -s -p1 <"/resch/debian/patches-rt/$patch"
		done < <(sed -e 's/#.*//' -e '/^ *$/d' /resch/debian/patches-rt/series)
	fi
	if grep -qw kasan_record_aux_stack_noalloc include/linux/kasan.h; then
		sed -i -f /src/tests/harness/debug-kernel-kasan.sed kernel/task_work.c
	fi
	make -s tinyconfig
	# shellcheck disable=SC2046 # one file a word
	scripts/kconfig/merge_config.sh -m .config kernel/configs/kvm_guest.config \
		$(configs "$name" /src/tests/harness) >/dev/null
	make -s olddefconfig
	# Rather now than after 20 minutes.
	while read -r option _; do
		configured "$option" ||
			die "$name: this kernel would lack $option, which resch needs"
	done < <(grep ^CONFIG_ /src/module/needs)
	# shellcheck disable=SC2046 # one file a word
	while read -r option; do
		configured "$option" || ! known "$option" ||
			die "$name: this kernel would lack $option, which is asked for"
	done < <(asked $(configs "$name" /src/tests/harness))
	make -s -j"$(nproc)" KBUILD_BUILD_TIMESTAMP=0 bzImage modules
	make -s kernelrelease >../release
}

# keep DIR: from the built source in DIR/src, what boots and what modules are built with.
keep() {
	mkdir "$1/build"
	cp "$1/src/arch/x86/boot/bzImage" "$1/bzImage"
	cp "$1/src/.config" "$1/config"
	(cd "$1/src" && find Makefile Kbuild .config Module.symvers include scripts \
		arch/x86/include arch/x86/Makefile* tools/objtool/objtool -print0 |
		grep -zvE '\.o$|\.cmd$' | tar -cf - --no-recursion --null -T -) |
		tar -C "$1/build" -xf -
	rm -rf "$1/src" "$1/apt" "$1/deb" "$1/debian" "$1"/*.deb "$1"/*.tar.*
}

# unpack DIR PACKAGE VERSION: that source into DIR/src.
unpack() {
	rm -rf "$1"/src "$1"/deb "$1"/*.deb
	(cd "$1" && private_apt "$1/apt" apt-get -qq download "$2=$3")
	dpkg-deb -x "$1/$2"_*.deb "$1/deb"
	mkdir "$1/src"
	tar -C "$1/src" -xf "$1/deb/usr/src/$2.tar.xz" --strip-components=1
}

# versions DIR PACKAGE: newest first.
versions() {
	private_apt "$1/apt" apt-cache madison "$2" | awk '/ Packages$/ { print $3 }'
}

# rt_patches DIR VERSION: put them into DIR/debian/patches-rt.
rt_patches() {
	local uri file
	read -r uri file < <(private_apt "$1/apt" apt-get -qq source --print-uris "linux=$2" |
		tr -d "'" | awk '$2 ~ /\.debian\.tar\./ { print $1, $2 }')
	[ -n "$uri" ] &&
		private_apt "$1/apt" /usr/lib/apt/apt-helper -qq download-file "$uri" "$1/$file" &&
		tar -C "$1" -xf "$1/$file" debian/patches-rt
}

# Before 6.12 PREEMPT_RT is a series of patches, which Debian's source package has and its
# linux-source has not. An archive may lack the newest such package: then it is an older version.
# unpack_rt DIR PACKAGE VERSION SOURCES
unpack_rt() {
	local version
	grep -qs ARCH_SUPPORTS_RT "$1/src/arch/x86/Kconfig" && return
	sources_for "$4" | sed 's/^deb /deb-src /' >>"$1/apt/etc/apt/sources.list"
	private_apt "$1/apt" apt-get -qq update
	: >"$1/apt/why"
	for version in $(versions "$1" "$2"); do
		if ! rt_patches "$1" "$version" 2>"$1/apt/why"; then
			say "no patches of PREEMPT_RT for $version, trying an older one"
			continue
		fi
		[ "$version" = "$3" ] || unpack "$1" "$2" "$version"
		return
	done
	cat "$1/apt/why" >&2
	die "the archive has no patches of PREEMPT_RT for any version of $2"
}

if [ "${1-}" = --inside ]; then
	compile "$2"
	exit
fi
usage="usage: debug-kernel.sh KERNEL-{kasan|kcsan|gcov}, where tests/kernels.list has KERNEL"
name=${1-}
[ $# -eq 1 ] || die "$usage"
[ -n "$(kernel_debug "$name")" ] || die "$usage"
suite=$(kernel_field "$name" suite)
base=${name%-*}
package=linux-source-$(kernel_field "$name" series)
# shellcheck disable=SC2002,SC2046 # one file a word
stamp=$(cat $(configs "$name" "$HARNESS") "$HARNESS"/debug-kernel-*.sed | sha256sum | cut -d' ' -f1)
final=$CACHE/kernels/$name
if [ "$(cat "$final/stamp" 2>/dev/null)" = "$stamp" ]; then
	exit 0
fi

"$HARNESS/root.sh" "$base"
work=$CACHE/kernels/.$name.new
rm -rf "$work"
mkdir -p "$work"
say "$name: fetching $package"
index "$work/apt" "$(kernel_field "$name" sources)"
cp "$CACHE/roots/$suite/var/lib/dpkg/status" "$work/apt/var/lib/dpkg/status"
# shellcheck disable=SC2086 # one package a word
private_apt "$work/apt" apt-get -qq -y -o APT::Install-Recommends=false --download-only \
	install $TOOLS >/dev/null
read -r version < <(versions "$work" "$package")
unpack "$work" "$package" "$version"
case $name in
*-rt-*) unpack_rt "$work" "$package" "$version" "$(kernel_field "$name" sources)" ;;
esac
say "$name: compiling (8 to 25 minutes on two cores)"
nice -n "${NICE:-10}" \
	"$HARNESS/in-root.sh" "$suite" "$work" /src/tests/harness/debug-kernel.sh --inside "$name"
keep "$work"
cp "$CACHE/kernels/$base/initrd.cpio" "$work/initrd.cpio"
echo "$suite" >"$work/suite"
# Finding interrupts through ACPI takes half a minute in this kernel. Without csdlock_debug=1 calls
# between CPUs are not watched, CONFIG_CSD_LOCK_WAIT_DEBUG or not.
echo "pci=noacpi csdlock_debug=1" >"$work/append"
# In the moment in which the kernel patches itself for page tables of five levels an interrupt has
# KASAN take any address for a wild one, and lockdep goes off.
echo "max,-la57" >"$work/cpu"
echo "$stamp" >"$work/stamp"
rm -rf "$final"
mv "$work" "$final"
say "$name: $(cat "$final/release") is ready"
