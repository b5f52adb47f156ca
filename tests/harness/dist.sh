#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A release: the sources of HEAD as resch-VERSION.tar.gz in OUT/dist, the same bytes whoever makes
# it, with a checksum, and with KEY signed.
#
# usage: dist.sh OUT [KEY]	KEY: whose signature, as gpg --local-user has it

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"
[ $# -ge 1 ] || die "usage: dist.sh OUT [KEY]"
key=${2-}
for program in git gzip ${key:+gpg}; do
	command -v "$program" >/dev/null || die "needs $program: apt install ${program/#gpg/gnupg}"
done

git=(git -C "$TREE")
version=$(cat "$TREE/VERSION")
name=resch-$version
"${git[@]}" rev-parse --verify -q HEAD >/dev/null || die "$TREE is no clone: a release is a commit"
[ -z "$("${git[@]}" status --porcelain)" ] ||
	die "there are changes that are in no commit: \`git status\`"
newest=$(sed -n 's/^## //p' "$TREE/CHANGELOG.md" | head -n 1)
[ "$newest" = "$version" ] ||
	die "CHANGELOG.md begins with $newest, VERSION says $version: they are to be the same"
tagged=$("${git[@]}" rev-parse -q --verify "v$version^{commit}" || true)
[ -z "$tagged" ] || [ "$tagged" = "$("${git[@]}" rev-parse HEAD)" ] ||
	die "v$version is another commit: there has been such a release, so write the next one into VERSION"

out=$1/dist
rm -rf "$out"
mkdir -p "$out"
# Neither its time nor its name in what gzip writes.
"${git[@]}" archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
if [ -n "$key" ]; then
	gpg --batch --yes --local-user "$key" --armor --detach-sign "$out/$name.tar.gz" ||
		die "gpg has not signed: \`gpg --list-secret-keys\` names who can"
fi
[ -n "$tagged" ] || say "no tag yet: git tag ${key:+-s }v$version"
(cd "$out" && printf '%s\n' "$out/"*)
