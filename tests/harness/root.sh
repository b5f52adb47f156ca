#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Make the roots, in the cache, of the suites that the named kernels belong to
# (of all suites when no kernel is named): a Debian root with toolchain, headers
# and programs, an ext4 image of it for the guests, and each kernel's vmlinux and
# base initramfs; then the QEMU that boots them (qemu.sh). Nothing happens, and no
# network is used, when all is there.
#
# usage: root.sh [--rebuild|--there|--remove] [KERNEL...]
#        --there: only say, by the status, whether there is nothing to do

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/harness/apt.sh
. "$(dirname "$0")/apt.sh"

# To be raised when the roots' or the kernels' files are made differently.
FORMAT=1

# The packages that every root gets.
base_packages() {
	sed -e 's/#.*//' "$HARNESS/root-packages" | tr -s ' \t\n' '\n' | sed '/^$/d'
}

# kernels_of SUITE: "name sources flavour" lines.
kernels_of() {
	kernel_lines | awk -v s="$1" '{ split($2, a, "+") } a[1] == s'
}

# What a root is to have, a line each.
wanted_of() {
	base_packages
	kernels_of "$1"
	echo "format $FORMAT"
}

# there SUITE: has its root all of that? One that has more is as good: trees with other lists share
# it.
there() {
	local has=$CACHE/roots/$1.has missing
	[ -f "$has" ] || return
	missing=$(wanted_of "$1" | grep -vxF -f "$has" || true)
	[ -z "$missing" ]
}

# newest DIR SERIES FLAVOUR: the highest release with both headers and an image.
newest() {
	local names release pattern
	names=$(private_apt "$1" apt-cache pkgnames linux-)
	pattern="${2//./\\.}(\\.[0-9]+)?(-[0-9]+|\\+deb[0-9.]+)?-$3"
	while read -r release; do
		if grep -qxF -e "linux-image-$release" -e "linux-image-$release-unsigned" \
			-e "linux-binary-unsigned-$release" <<<"$names"; then
			echo "$release"
			return
		fi
	done < <(sed -nE "s/^linux-headers-($pattern)\$/\\1/p" <<<"$names" | sort -rV)
	die "no linux-headers-$2*-$3 with its image in this suite; edit tests/kernels.list"
}

# image_packages DIR RELEASE: what holds kernel and modules: one package, or
# several that it depends upon (7.x).
image_packages() {
	local names kind package
	names=$(private_apt "$1" apt-cache pkgnames linux-)
	for kind in image binary modules base; do
		for package in "linux-$kind-$2" "linux-$kind-$2-unsigned" \
			"linux-$kind-unsigned-$2"; do
			if grep -qxF "$package" <<<"$names"; then
				echo "$package"
				break
			fi
		done
	done | paste -sd' '
}

# make_root SUITE DIR: the Debian root, kernels unpacked but not installed, so
# that nothing builds an initramfs or touches a boot loader.
make_root() {
	local suite=$1 dir=$2 sources name flavour release include images='' host_apt
	sources=$(suite_sources "$suite")
	say "$suite: package lists of ${sources//+/ and }"
	index "$dir.apt" "$sources"

	include=$(base_packages | paste -sd,)
	mkdir -p "$dir.kernels"
	while read -r name _ flavour; do
		release=$(newest "$dir.apt" "${name%%-*}" "$flavour")
		say "$suite: kernel $name is $release"
		echo "$release" >"$dir.kernels/$name"
		include+=",linux-headers-$release"
		images+=" $(image_packages "$dir.apt" "$release")"
	done < <(kernels_of "$suite")

	transport >"$dir.transport"
	say "$suite: installing the root (about 300 MB to download)"
	# shellcheck disable=SC2016 # mmdebstrap's shell expands it
	host_apt='APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get -qq -o APT::Sandbox::User=root'
	mmdebstrap --quiet --mode=root --variant=apt --format=directory \
		--include="$include" \
		--aptopt="$dir.transport" --aptopt='Acquire::Retries "5"' \
		--aptopt='Acquire::Languages "none"' \
		--aptopt='APT::Install-Recommends "false"' \
		--dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--customize-hook="mkdir \"\$1/images\" && cd \"\$1/images\" && $host_apt download $images" \
		--customize-hook="$HARNESS/unpack-images.sh \"\$1\"" \
		"$suite" "$dir" - < <(sources_for "$sources")
	rm -rf "$dir.apt" "$dir.transport"
}

# finish_root DIR: what a guest expects to find.
finish_root() {
	mkdir -p "$1/resch" "$1/out"
	echo resch >"$1/etc/hostname"
	printf '127.0.0.1 localhost resch\n' >"$1/etc/hosts"
}

# root SUITE: make it unless it's there.
root() {
	local suite=$1 name new
	mkdir -p "$CACHE/roots" "$CACHE/kernels"
	exec 9>"$CACHE/roots/$suite.lock"
	flock 9
	if there "$suite"; then
		return
	fi
	"$HARNESS/setup.sh" guest

	new=$CACHE/roots/.$suite.new
	rm -rf "$new"*
	make_root "$suite" "$new"
	finish_root "$new"
	say "$suite: disk image"
	rm -f "$new.ext4"
	truncate -s 8G "$new.ext4"
	mke2fs -q -t ext4 -O ^has_journal -E lazy_itable_init=0,nodiscard -N 200000 \
		-d "$new" "$new.ext4"
	while read -r name _; do
		"$HARNESS/kernel-files.sh" "$name" "$new" "$(cat "$new.kernels/$name")"
	done < <(kernels_of "$suite")

	# Not while somebody works in the old one (in-root.sh).
	exec 8>"$CACHE/roots/$suite.use"
	flock 8
	rm -f "$CACHE/roots/$suite.has"
	rm -rf "${CACHE:?}/roots/$suite" "$CACHE/roots/$suite.ext4" "$new.kernels"
	mv "$new" "$CACHE/roots/$suite"
	mv "$new.ext4" "$CACHE/roots/$suite.ext4"
	wanted_of "$suite" >"$CACHE/roots/$suite.has"
	exec 8>&-
	say "$suite: done"
}

if [ "${1-}" = --remove ]; then
	[ ! -d "$CACHE" ] || as_root rm -rf "$CACHE"
	exit
fi
option=
case ${1-} in
--rebuild | --there)
	option=$1
	shift
	;;
esac

# shellcheck disable=SC2046 # one word per kernel
[ $# -gt 0 ] || set -- $(kernel_names)
missing=()
for suite in $(for k in "$@"; do kernel_field "$k" suite; done | sort -u); do
	[ "$option" != --rebuild ] || rm -f "$CACHE/roots/$suite.has"
	there "$suite" || missing+=("$suite")
done
if [ ${#missing[@]} -eq 0 ]; then
	[ "$option" = --there ] || exec "$HARNESS/qemu.sh"
	exec "$HARNESS/qemu.sh" --there
fi
[ "$option" != --there ] || exit 1

if [ "$(id -u)" -ne 0 ]; then
	mkdir -p "$CACHE"
	as_root env RESCH_CACHE="$CACHE" "$0" "$@"
	exec "$HARNESS/qemu.sh"
fi
"$HARNESS/setup.sh" guest

# Suites side by side: one downloads while another unpacks.
pids=()
for suite in "${missing[@]}"; do
	root "$suite" &
	pids+=($!)
done
status=0
for pid in "${pids[@]}"; do
	wait "$pid" || status=1
done
[ $status -eq 0 ] || die "a root could not be made; see above, and run again"
exec "$HARNESS/qemu.sh"
