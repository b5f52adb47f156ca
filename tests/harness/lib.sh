# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What the harness scripts share: places, messages, the list of kernels.
# Sourced, never run; the caller has set -euo pipefail.

HARNESS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TREE=$(cd "$HARNESS/../.." && pwd)
HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
CACHE=${RESCH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/resch}
BUILD=${RESCH_BUILD:-$TREE/build}
PATH=$PATH:/usr/sbin:/sbin
export HARNESS TREE CACHE BUILD

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
	say "$*"
	exit 1
}

# Run a command as root: what makes and enters the roots needs it.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo --preserve-env=RESCH_CACHE,RESCH_BUILD,http_proxy,https_proxy "$@"
	else
		die "needs root for: $1 (run as root, or install sudo)"
	fi
}

# kernel_lines: the list without comments, as "name sources flavour".
kernel_lines() {
	sed -e 's/#.*//' "$TREE/tests/kernels.list" | awk 'NF == 3 { print $1, $2, $3 }'
}

# kernel_names: every supported kernel, in the order of the list.
kernel_names() {
	kernel_lines | cut -d' ' -f1
}

# kernel_series: the series of the supported kernels, without flavours.
kernel_series() {
	kernel_names | sed 's/-.*//' | sort -uV
}

# kernel_debug NAME: kasan, kcsan or gcov for a debug kernel (debug-kernel.sh), else nothing.
kernel_debug() {
	case $1 in
	*-kasan | *-kcsan | *-gcov) echo "${1##*-}" ;;
	esac
}

# kernel_field NAME {sources|suite|flavour|series}; a debug kernel's are those of
# the kernel that it is named after.
kernel_field() {
	local line name sources flavour
	line=$(kernel_lines | awk -v n="${1%-"$(kernel_debug "$1")"}" '$1 == n')
	[ -n "$line" ] ||
		die "no kernel '$1' in tests/kernels.list; it has: $(kernel_names | paste -sd' ')"
	read -r name sources flavour <<<"$line"
	case $2 in
	sources) echo "$sources" ;;
	suite) echo "${sources%%+*}" ;;
	flavour) echo "$flavour" ;;
	series) echo "${name%%-*}" ;;
	*) die "kernel_field: no field '$2'" ;;
	esac
}

# suite_sources SUITE: it, and with plus signs all others that packages of its kernels come from.
suite_sources() {
	kernel_lines | awk -v s="$1" '
		{ n = split($2, part, "+") }
		part[1] == s { for (i = 1; i <= n; i++) if (!seen[part[i]]++) print part[i] }' |
		paste -sd+
}

# kernel_release NAME: what uname -r says in it, once its root is there.
kernel_release() {
	local file=$CACHE/kernels/$1/release
	[ -f "$file" ] || die "kernel $1 is not in the cache; run tests/harness/root.sh $1"
	cat "$file"
}

# plugins: the names of those in plugins/Kbuild, one a line.
plugins() {
	sed -n 's/^plugin-names := //p' "$TREE/plugins/Kbuild" | tr ' ' '\n'
}
