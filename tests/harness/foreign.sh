#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A kernel of a series that nobody has heard of: with a kernel's series taken out of the list, its
# modules are built and installed by DKMS all the same, and it is said that they are not tested.
#
# usage: foreign.sh KERNEL

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

# Inside a root: in a copy whose list has not the series.
inside() {
	local series=$1 release=$2 tree=/tmp/tree said missing=()
	mkdir $tree
	tar -C "$TREE" -cf - --exclude=./build --exclude=./.git . | tar -C $tree -xf -
	sed -i "/^${series//./\\.}[- \t]/d" $tree/tests/kernels.list
	export DKMS_KERNEL=$release
	said=$($tree/tests/harness/dkms.sh check 2>&1)
	grep -q "^dkms.sh: kernel $release has what resch needs, but .* not tested" <<<"$said" ||
		die "of a series that is not in the list it is said: ${said:-nothing}"
	$tree/tests/harness/dkms.sh sources ''
	$tree/tests/harness/dkms.sh install >/tmp/log 2>&1 || {
		tail -n 40 /tmp/log >&2
		die "DKMS builds nothing for it"
	}
	while read -r name; do
		compgen -G "/lib/modules/$release/updates/dkms/$name.ko*" >/dev/null ||
			missing+=("$name")
	done < <(sed -n 's/^BUILT_MODULE_NAME\[[0-9]*\]="\([^"]*\)".*/\1/p' \
		/usr/src/resch-*/dkms.conf)
	[ ${#missing[@]} -eq 0 ] || die "not among what DKMS has installed: ${missing[*]}"
	modprobe --set-version "$release" --show-depends resch-edf >/dev/null
	echo "$said"
	ls "/lib/modules/$release/updates/dkms"
}

if [ "${1-}" = --inside ]; then
	inside "$2" "$3"
	exit
fi
kernel=${1?which kernel}
"$HARNESS/root.sh" "$kernel"
mkdir -p "$BUILD/foreign"
"$HARNESS/in-root.sh" "$(kernel_field "$kernel" suite)" "$BUILD/foreign" \
	/src/tests/harness/foreign.sh --inside "$(kernel_field "$kernel" series)" \
	"$(kernel_release "$kernel")"
