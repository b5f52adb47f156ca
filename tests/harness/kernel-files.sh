#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# From a root with a kernel in it, make what QEMU boots: the uncompressed
# vmlinux (entered through PVH: nothing is decompressed under emulation) and a
# base initramfs with the modules that reach the root image and the shares.
# Used by root.sh.
#
# usage: kernel-files.sh NAME ROOT RELEASE

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

name=$1 root=$2 release=$3
final=$CACHE/kernels/$name
dir=$CACHE/kernels/.$name.new

# Modules in the guest's way to its root; virtio_console is loaded at the end of
# deterministic guests, to carry files out.
MODULES="virtio_pci virtio_blk ext4 overlay 9p 9pnet_virtio virtio_console"

# The compressed payload of a bzImage, as the boot protocol describes it
# (Documentation/arch/x86/boot.rst: setup_sects, payload_offset, payload_length).
payload() {
	local setup offset length
	setup=$(od -An -tu1 -j 497 -N 1 "$1")
	offset=$(od -An -tu4 -j 584 -N 4 "$1")
	length=$(od -An -tu4 -j 588 -N 4 "$1")
	# the last 4 bytes are the size of the kernel, not part of the stream
	head -c $(((setup + 1) * 512 + offset + length - 4)) "$1" | tail -c $((length - 4))
}

decompress() {
	case $(head -c 4 "$1" | od -An -tx1 | tr -d ' ') in
	28b52ffd) zstd -dqc "$1" ;;
	fd377a58) xz -dc "$1" ;;
	1f8b*) gzip -dc "$1" ;;
	5d0000*) xz --format=lzma -dc "$1" ;;
	02214c18 | 04224d18) lz4 -dqc "$1" ;;
	*) die "$name: unknown compression in the packaged kernel" ;;
	esac
}

# The modules, decompressed, in the order in which to load them.
add_modules() {
	local module path order=$2/modules.order
	mkdir -p "$2/modules"
	: >"$order"
	for module in $MODULES; do
		chroot "$root" /sbin/modprobe -S "$1" --show-depends "$module" 2>/dev/null |
			sed -n 's/^insmod \([^ ]*\).*/\1/p'
	done | awk '!seen[$0]++' | while read -r path; do
		module=${path##*/}
		module=${module%%.ko*}.ko
		case $path in
		*.xz) xz -dc "$root$path" >"$2/modules/$module" ;;
		*.zst) zstd -dqc "$root$path" >"$2/modules/$module" ;;
		*.gz) gzip -dc "$root$path" >"$2/modules/$module" ;;
		*) cp "$root$path" "$2/modules/$module" ;;
		esac
		echo "$module" >>"$order"
	done
}

rm -rf "$dir"
mkdir -p "$dir/initrd/"{bin,dev,proc,sys,run,mnt,tmp,etc,lib,root,out}
echo "$release" >"$dir/release"
kernel_field "$name" suite >"$dir/suite"

payload "$root/boot/vmlinuz-$release" >"$dir/payload"
decompress "$dir/payload" >"$dir/vmlinux"
rm "$dir/payload"

add_modules "$release" "$dir/initrd"
cp /bin/busybox "$dir/initrd/bin/busybox"
for applet in $(/bin/busybox --list); do
	[ "$applet" = busybox ] || ln -s busybox "$dir/initrd/bin/$applet"
done
ln -s bin "$dir/initrd/sbin"
mkdir "$dir/initrd/usr"
ln -s ../bin "$dir/initrd/usr/bin"
(cd "$dir/initrd" && find . -print0 | sort -z |
	cpio --quiet --null --create --format=newc --reproducible --owner=0:0) >"$dir/initrd.cpio"
rm -rf "$dir/initrd"
cp "$root/boot/config-$release" "$dir/config"
chmod -R a+rX "$dir"

rm -rf "$final"
mv "$dir" "$final"
