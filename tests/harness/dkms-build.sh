#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Inside a root: "make install" as a user would, DKMS included; collect the
# modules in OUT/modules; then "make uninstall", which has to leave nothing.
# The modules that only tests need come from kbuild.
#
# usage: dkms-build.sh RELEASE OUT

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

release=$1 out=$2
log=/tmp/install.log

# Everything in the root but what DKMS keeps for itself (its signing key, made
# at its first use) and caches of the system that are made anew.
listing() {
	(cd / && find . -xdev -path ./tmp -prune -o -path ./resch -prune -o -path ./src -prune -o \
		-path ./cache -prune -o -print |
		grep -vE '^\./(var/lib/dkms/(mok\.|dkms_dbversion)|etc/ld\.so\.cache|var/cache/ldconfig/)' |
		sort)
}

run() {
	if ! "$@" >"$log" 2>&1; then
		tail -n 40 "$log" >&2
		die "failed: $*"
	fi
}

export DKMS_KERNEL=$release
listing >/tmp/before
run make -C "$TREE" install O="$out"

modprobe --set-version "$release" --show-depends resch-edf >"$log" 2>&1 ||
	die "modprobe would not find resch-edf: $(cat "$log")"
grep -q '/resch\.ko' "$log" || die "resch-edf does not pull resch in: $(cat "$log")"

mkdir -p "$out/modules"
rm -f "$out"/modules/*.ko
for module in "/lib/modules/$release/updates/dkms"/*.ko*; do
	to=$out/modules/${module##*/}
	case $module in
	*.ko) cp "$module" "$to" ;;
	*.ko.xz) xz -dc "$module" >"${to%.xz}" ;;
	*.ko.zst) zstd -dqc "$module" >"${to%.zst}" ;;
	*) die "DKMS installed something unexpected: $module" ;;
	esac
done
echo "DKMS for $release: $(cd "$out/modules" && echo *.ko)"

# Elsewhere DKMS takes its modules back; here it is gone, or fails, and they have to go without it.
case $release in
*-rt-*) mv /usr/sbin/dkms /tmp/dkms ;;
6.12.*)
	mv /usr/sbin/dkms /tmp/dkms
	cat >/usr/sbin/dkms <<'END'
#!/bin/sh
[ "$1" != status ] || exec /tmp/dkms "$@"
exit 6
END
	chmod +x /usr/sbin/dkms
	;;
esac
run make -C "$TREE" uninstall O="$out"
case $release in
6.12.*-rt-*) ;;
6.12.*) grep -q 'dkms remove resch/.* failed: swept away' "$log" ||
	die "make uninstall does not say that dkms has failed: $(cat "$log")" ;;
esac
[ ! -e /tmp/dkms ] || mv /tmp/dkms /usr/sbin/dkms
listing >/tmp/after
diff /tmp/before /tmp/after || die "make uninstall leaves these files (>), or takes others (<)"

if [ -f "$TREE/tests/modules/Kbuild" ]; then
	"$HARNESS/kbuild.sh" --beside "$out/modules/resch.ko" "/lib/modules/$release/build" \
		"$out/for-tests" >/dev/null
	cp "$out"/for-tests/modules/*.ko "$out/modules/"
fi
