#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Pass a target on to a room's Makefile, or say that the room isn't there.
#
# usage: room.sh ROOM TARGET [VARIABLE=VALUE...]

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"

room=$1 target=$2
shift 2
[ -f "$TREE/$room/Makefile" ] ||
	die "nothing to make '$target' with: $room/Makefile isn't there yet"
exec make -C "$TREE/$room" --no-print-directory "$target" "$@"
