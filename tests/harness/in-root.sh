#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run a command in a suite's root, chrooted, with the source tree at /src and the
# cache at /cache (read only), and OUT at /resch. Whatever it changes in the root
# goes to a tmpfs and is gone afterwards; mounts live in a namespace of their own,
# so nothing is left behind however it ends. LAYER is a folder whose files are there,
# too, before those of the root. Where the command succeeds, IMAGE becomes a file system of what it
# has changed, which a guest can be given as its own (guest --disk).
#
# usage: in-root.sh [--over LAYER] [--keep IMAGE] SUITE OUT COMMAND [ARGS...]

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "${1-}" != --inside ]; then
	layer='' image=''
	while [[ ${1-} = --* ]]; do
		case $1 in
		--over) layer=$2: ;;
		--keep) image=$2 ;;
		*) die "no option $1" ;;
		esac
		shift 2
	done
	[ $# -ge 3 ] ||
		die "usage: in-root.sh [--over LAYER] [--keep IMAGE] SUITE OUT COMMAND [ARGS...]"
	[ -d "$CACHE/roots/$1" ] || die "no root of $1 in the cache; run tests/harness/root.sh"
	as_root env RESCH_CACHE="$CACHE" unshare --mount --propagation private \
		"$HARNESS/in-root.sh" --inside "$layer" "$image" "$@"
	exit
fi
layer=$2 image=$3 suite=$4 out=$5
shift 5

# root.sh puts another root in its place only when nobody works in this one.
exec 8>"$CACHE/roots/$suite.use"
flock -s 8
new=$(mktemp -d "${TMPDIR:-/tmp}/resch-root.XXXXXX")
trap 'umount -R -l "$new" 2>/dev/null; rmdir "$new"' EXIT
mount -t tmpfs -o mode=755 resch "$new"
mkdir -p "$new"/{disk/upper,disk/work,root}
mount -t overlay resch "$new/root" \
	-o "lowerdir=$layer$CACHE/roots/$suite,upperdir=$new/disk/upper,workdir=$new/disk/work"
root=$new/root
mkdir -p "$root/src" "$root/resch" "$root/cache"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmp "$root/tmp"
mount --bind "$TREE" "$root/src"
mount -o remount,bind,ro "$root/src"
mount --bind "$CACHE" "$root/cache"
mount -o remount,bind,ro "$root/cache"
mount --bind "$out" "$root/resch"

env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
	LC_ALL=C.UTF-8 TERM="${TERM:-dumb}" \
	chroot "$root" "$@"
[ -n "$image" ] || exit 0
# What was installed may have left somebody who is on the way out.
for try in {1..50}; do
	umount -R "$root" 2>"$new/busy" && break
	[ "$try" -lt 50 ] || {
		cat "$new/busy" >&2
		fuser -vm "$root" >&2 || true
		die "the root is still in use"
	}
	sleep 0.2
done
rm -rf "$new/disk/work"/*
truncate -s 2G "$image"
mke2fs -q -F -t ext4 -E lazy_itable_init=0,nodiscard -d "$new/disk" "$image"
