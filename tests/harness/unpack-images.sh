#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Unpack the kernel image packages that root.sh has put into ROOT/images:
# kernel, configuration and the modules that a guest may want. Unpacked, not
# installed, so that nothing builds an initramfs or touches a boot loader.
#
# usage: unpack-images.sh ROOT

set -euo pipefail

root=$1
for deb in "$root"/images/*.deb; do
	dpkg-deb -x "$deb" "$root/images/tree"
done

# Packages before and after the merge of /lib into /usr/lib.
for modules in "$root"/images/tree/{,usr/}lib/modules/*; do
	[ -d "$modules/kernel" ] || continue
	release=${modules##*/}
	rm -rf "$modules/kernel/sound"
	(cd "$modules/kernel/drivers" && rm -rf bluetooth gpu hwmon iio infiniband isdn media mtd \
		net scsi staging usb)
	mkdir -p "$root/lib/modules/$release"
	cp -a "$modules/." "$root/lib/modules/$release/"
	chroot "$root" /sbin/depmod "$release"
done

# 7.x packages keep the kernel with its modules; here it is in /boot, as before.
[ ! -d "$root/images/tree/boot" ] || cp -a "$root/images/tree/boot/." "$root/boot/"
for modules in "$root"/lib/modules/*; do
	release=${modules##*/}
	for file in vmlinuz config; do
		[ -f "$root/boot/$file-$release" ] ||
			cp -a "$modules/$file" "$root/boot/$file-$release"
	done
	rm -f "$modules/vmlinuz"
done
rm -rf "$root/images"
