#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# From <linux/resch.h> a line REQUEST(NAME, name, type) for each request, so that none is forgotten:
# one that is written in a way that this does not know fails.
#
# usage: abi.sh HEADER >abi.h

set -eu
sed -nE '/RESCH_IOC_MAGIC,/s/^#define RESCH_IOC_([A-Z_]+) _IOW?R?\(RESCH_IOC_MAGIC, [0-9]+, (struct [a-z_]+)\)$/\1 \2/p' \
	"$1" |
	while read -r name type; do
		lower=$(echo "$name" | tr '[:upper:]' '[:lower:]')
		# a word of C
		[ "$lower" != register ] || lower=register_
		echo "REQUEST($name, $lower, $type)"
	done >"${TMPDIR:-/tmp}/abi.$$"
trap 'rm -f "${TMPDIR:-/tmp}/abi.$$"' EXIT
all=$(grep -c '^#define RESCH_IOC_.*RESCH_IOC_MAGIC' "$1")
made=$(wc -l <"${TMPDIR:-/tmp}/abi.$$")
if [ "$all" -ne "$made" ]; then
	echo "abi.sh: $1 has $all requests, of which $made are understood" >&2
	exit 1
fi
cat "${TMPDIR:-/tmp}/abi.$$"
