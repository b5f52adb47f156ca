#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run a command in a suite's root, chrooted, with the source tree at /src and the
# cache at /cache (read only), and OUT at /resch. Whatever it changes in the root
# goes to a tmpfs and is gone afterwards; mounts live in a namespace of their own,
# so nothing is left behind however it ends. LAYER is a folder whose files are there,
# too, before those of the root.
#
# usage: in-root.sh [--over LAYER] SUITE OUT COMMAND [ARGS...]

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "${1-}" != --inside ]; then
	layer=
	if [ "${1-}" = --over ]; then
		layer=$2:
		shift 2
	fi
	[ $# -ge 3 ] || die "usage: in-root.sh [--over LAYER] SUITE OUT COMMAND [ARGS...]"
	[ -d "$CACHE/roots/$1" ] || die "no root of $1 in the cache; run tests/harness/root.sh"
	as_root env RESCH_CACHE="$CACHE" unshare --mount --propagation private \
		"$HARNESS/in-root.sh" --inside "$layer" "$@"
	exit
fi
layer=$2 suite=$3 out=$4
shift 4

# root.sh puts another root in its place only when nobody works in this one.
exec 8>"$CACHE/roots/$suite.use"
flock -s 8
new=$(mktemp -d "${TMPDIR:-/tmp}/resch-root.XXXXXX")
trap 'umount -R -l "$new" 2>/dev/null; rmdir "$new"' EXIT
mount -t tmpfs -o mode=755 resch "$new"
mkdir "$new"/{upper,work,root}
mount -t overlay -o "lowerdir=$layer$CACHE/roots/$suite,upperdir=$new/upper,workdir=$new/work" \
	resch "$new/root"
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
