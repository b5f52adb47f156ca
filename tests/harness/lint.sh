#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One check of the source text. Status 77, and the reason, when there is nothing
# that it could look at.
#
# usage: lint.sh shellcheck|python|spdx|whitespace|widths|lengths|lists|floors|checkpatch|sparse|
#	arm64|foreign|cppcheck|clang-format

set -euo pipefail
# shellcheck source=tests/harness/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TREE"

# The kernel whose headers sparse reads.
REFERENCE=$(kernel_names | head -n 1)

nothing() {
	echo "nothing to check: $*"
	exit 77
}

# files PATTERN...: what git would have in a commit; without git, everything.
files() {
	if git rev-parse --git-dir >/dev/null 2>&1; then
		git ls-files -co --exclude-standard -- "$@"
	else
		find . -path ./build -prune -o -type f -print | sed 's,^\./,,' |
			grep -Ef <(printf '%s\n' "$@" | sed 's/\./\\./g; s/\*/.*/g; s/$/$/')
	fi | sort | while read -r f; do [ ! -f "$f" ] || echo "$f"; done
}

# Files that begin with a shebang of this kind.
scripts() {
	local f
	files '*' | while read -r f; do
		if head -c 60 "$f" | head -n 1 | tr -d '\0' | grep -qE "^#!.*/(env +)?($1)( |\$)"
		then
			echo "$f"
		fi
	done
}

c_files() {
	files '*.c' '*.h'
}

check_shellcheck() {
	scripts 'sh|bash|dash' | xargs -r shellcheck -x -P SCRIPTDIR
}

# What no file imports or defines, too.
check_python() {
	{ files '*.py' && scripts 'python3'; } | sort -u | xargs -r -d '\n' pyflakes3
}

# Not asked of files outside the kernel's own tree, ...
FOREIGN=FILE_PATH_CHANGES,SPDX_LICENSE_TAG,LINUX_VERSION_CODE,SPLIT_STRING,CONST_STRUCT
# ... of what gives older kernels the names of newer ones, its loops too, ...
COMPAT=NEW_TYPEDEFS,COMPLEX_MACRO
# ... of headers that make tracepoints, ...
TRACE=COMPLEX_MACRO,TRAILING_SEMICOLON
# ... of the library, which hasn't the kernel's macros.
LIBRARY=ARRAY_SIZE,PREFER_DEFINED_ATTRIBUTE_MACRO,NEW_TYPEDEFS,VOLATILE,MEMORY_BARRIER,COMPLEX_MACRO
LIBRARY+=,LEADING_SPACE,STATIC_CONST_CHAR_ARRAY,BRACES,SPACING,TRAILING_SEMICOLON
LIBRARY+=,EMBEDDED_FUNCTION_NAME,MULTISTATEMENT_MACRO_USE_DO_WHILE,QUOTED_WHITESPACE_BEFORE_NEWLINE

# checkpatch IGNORED FILES, one a line
checkpatch() {
	[ -n "$2" ] || return 0
	xargs -P "$(nproc)" -n 10 "$HARNESS/checkpatch.sh" --no-tree --no-summary --terse --quiet \
		--show-types --max-line-length=120 --ignore "$FOREIGN,$1" -f <<<"$2"
}

# without PATTERN: drop the lines that match.
without() {
	grep -vE "$1" || true
}

# What runs in the kernel, and the library beside it: it takes its time for each line. Programs and
# tests have clang-format.
check_checkpatch() {
	local all kernel bad=0
	all=$(c_files)
	[ -n "$all" ] || nothing "no C files"
	# fetched once, before several ask for it
	"$HARNESS/checkpatch.sh" --version >/dev/null || true
	kernel=$(grep -E '^(module|plugins|uapi|tests/modules)/' <<<"$all" || true)
	checkpatch FILE_PATH_CHANGES "$(without '(^|/)trace[^/]*\.h$|/compat/' <<<"$kernel")" ||
		bad=1
	checkpatch "$COMPAT" "$(grep -E '/compat/' <<<"$kernel" || true)" || bad=1
	checkpatch "$TRACE" "$(grep -E '(^|/)trace[^/]*\.h$' <<<"$kernel" || true)" || bad=1
	checkpatch "$LIBRARY" "$(grep -E '^libresch/' <<<"$all" || true)" || bad=1
	return $bad
}

check_sparse() {
	local out=$BUILD/sparse log
	[ -f module/Kbuild ] || nothing "no module/Kbuild"
	"$HARNESS/root.sh" "$REFERENCE"
	mkdir -p "$out"
	log=$out/log
	"$HARNESS/in-root.sh" "$(kernel_field "$REFERENCE" suite)" "$out" \
		/src/tests/harness/kbuild.sh "/lib/modules/$(kernel_release "$REFERENCE")/build" \
		/resch \
		C=2 CF="-D__CHECK_ENDIAN__ -Wno-shift-count-overflow" >"$log" 2>&1 || {
		cat "$log"
		return 1
	}
	! grep -E '/kbuild/.*: (warning|error):' "$log"
}

# Compiled for another processor: modules with the oldest kernel's headers and the newest's,
# programs with the newer compiler.
check_arm64() {
	[ -f module/Kbuild ] || nothing "no module/Kbuild"
	arm64 --modules "$REFERENCE"
	arm64 "$(kernel_names | grep -v -e -rt | tail -n 1)"
}

# arm64 [--modules] KERNEL
arm64() {
	local out=$BUILD/arm64/${*: -1}
	mkdir -p "$out"
	"$HARNESS/arm64.sh" "$@" "$out" >"$out.log" 2>&1 || {
		grep -E '(error|warning|Error|\*\*\*)' "$out.log" || tail -n 40 "$out.log"
		exit 1
	}
}

# The modules as DKMS builds them for a kernel whose series is not in the list.
check_foreign() {
	local kernel
	kernel=$(kernel_names | sort -V | tail -n 1)
	kernel=${kernel%-rt}
	"$HARNESS/foreign.sh" "$kernel"
}

check_cppcheck() {
	local list
	# what runs in the kernel is clang's, and the kernel's verifier's
	list=$(c_files | grep -E '^(libresch|tools|bench|tests|sim)/' |
		grep -v '\.bpf\.[ch]$' || true)
	[ -n "$list" ] || nothing "no C programs"
	# shellcheck disable=SC2086 # one file a word
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 \
		--enable=warning,portability,performance --suppress=missingIncludeSystem \
		-D__x86_64__ -Iuapi -Ilibresch/include $list
}

check_clang-format() {
	local list
	clang-format --version | grep -q 'version 14\.' ||
		nothing "the tree is formatted by clang-format 14, which differs from the one here"
	list=$(c_files)
	[ -n "$list" ] || nothing "no C files"
	# shellcheck disable=SC2086 # one file a word
	clang-format --dry-run --Werror $list
}

check_whitespace() {
	local f list bad=0
	mapfile -t list < <(files '*.c' '*.h' '*.sh' '*.py' '*.md' '*.mk' '*Makefile' '*Kbuild'
		scripts '.*')
	! grep -nHE $'[[:blank:]\r]+$' "${list[@]}" || bad=1
	for f in "${list[@]}"; do
		[ -z "$(tail -c 1 "$f")" ] || {
			echo "$f: no newline at the end"
			bad=1
		}
	done
	return $bad
}

check_widths() {
	files '*' | "$HARNESS/widths.py"
}

# A file is read in one go; the one list of what programs may ask stays in one piece.
check_lengths() {
	! files '*' | grep -vxF uapi/linux/resch.h | xargs -r -d '\n' grep -lI '' |
		xargs -r -d '\n' wc -l |
		grep -vE '^ *([0-9]{1,2}|[1-5][0-9]{2}|600) | total$'
}

# words QUOTE: what stands between two of them, a line each.
words() {
	grep -oE "$1[a-z0-9]+$1" | tr -d "$1"
}

# bits A FILE: names and numbers of the line "A, B = 1, 2" of a Python program
bits() {
	local line
	line=$(grep -E "^$1, [A-Z, ]+ = [0-9, ]+$" "$2")
	line=${line// /}
	paste -d ' ' <(tr , '\n' <<<"${line%=*}") <(tr , '\n' <<<"${line#*=}")
}

# What is said in two places is the same in both.
check_lists() {
	local bad=0 name suite prefix first
	complain() {
		echo "$*"
		bad=1
	}
	# shellcheck disable=SC2016 # backquotes of Markdown
	# The kernels of tests/kernels.list and of the table in docs/kernels.md; the README counts
	# on that table.
	diff <(kernel_names) <(sed -nE 's/^\| `([0-9][^`]*)` \|.*/\1/p' docs/kernels.md) ||
		complain "docs/kernels.md: its table is not tests/kernels.list (<)"
	for name in $(kernel_names); do
		suite=$(kernel_field "$name" suite)
		grep -qE "^\| \`$name\` \|.*\\b$suite\\b" docs/kernels.md ||
			complain "docs/kernels.md: $name is of $suite"
	done
	# What a kernel has to have: module/needs, and the first table of docs/kernels.md that
	# speaks of options.
	while read -r name; do
		grep -q "^| \`$name\`" docs/kernels.md ||
			complain "docs/kernels.md: nothing on $name of module/needs"
	done < <(awk '/^CONFIG_/ { print $1 }' module/needs)
	# Links between documents lead somewhere, and every document is in the index.
	while IFS=: read -r name suite; do
		[ -e "$(dirname "$name")/${suite%%#*}" ] || complain "$name: nothing at $suite"
	done < <(grep -oE '\]\([^):]+\)' README.md CONTRIBUTING.md SECURITY.md docs/*.md |
		sed -E 's/:\]\((.*)\)$/:\1/; /:#/d')
	for name in docs/*.md; do
		[ "$name" = docs/README.md ] || grep -qF "](${name#docs/})" docs/README.md ||
			complain "docs/README.md: nothing on ${name#docs/}"
	done
	# Plugins whose order the checker knows.
	while read -r name; do
		grep -qxF "$name" <(echo fifo && plugins) ||
			complain "tools/trace/reschtrace/policy.py: there is no plugin $name"
	done < <(sed -n '/^PLUGINS = /,/}$/p' tools/trace/reschtrace/policy.py |
		grep -oE "'[a-z0-9-]+':" | tr -d "':")
	# Words of trace events, where another language or licence spells them again.
	diff <(words '"' <module/include/resch/trace-words.h) \
		<(grep '^WHY = ' tools/trace/reschtrace/model.py | words "'" | grep '[a-z]') ||
		complain "tools/trace/reschtrace/model.py: WHY is not RESCH_OFFS (<)"
	while read -r prefix first name; do
		diff <(sed -nE "s/^#define ${prefix}_([A-Z]+) ([0-9]+).*/\1 \2/p" \
			module/include/resch/trace-words.h) \
			<(bits "$first" "$name") ||
			complain "$name: bits are not ${prefix}_ of trace-words.h (<)"
	done <<-'EOF'
		RESCH_SERVER EXHAUSTED tools/trace/reschtrace/budgets.py
		RESCH_INSTANCE HANDED tools/trace/reschtrace/chains.py
	EOF
	diff <(sed -n '/define RESCH_TRACE_GONE/,/^$/p' module/core/trace.h | words '"') \
		<(echo asked && grep RESCH_GONE_ libresch/text/names.c | words '"') ||
		complain "libresch/text/names.c: ends are not RESCH_TRACE_GONE (<)"
	grep -q "^## $(cat VERSION)\b" CHANGELOG.md ||
		complain "CHANGELOG.md has nothing on $(cat VERSION)"
	return $bad
}

# What is found is below, what decides is above.
check_floors() {
	"$HARNESS/floors.py" module
}

# Every source says its licence in its first lines.
check_spdx() {
	{ c_files && scripts '.*'; } | sort -u | xargs -d '\n' awk '
		function judge() {
			if (file == "" || said)
				return
			print file ": no SPDX-License-Identifier in the first five lines"
			bad = 1
		}
		FNR == 1 { judge(); file = FILENAME; said = 0 }
		FNR <= 5 && /SPDX-License-Identifier: / { said = 1 }
		FNR == 5 { nextfile }
		END { judge(); exit bad }'
}

[ $# -eq 1 ] || die "usage: lint.sh CHECK; see the head of this file"
declare -F "check_$1" >/dev/null || die "no check '$1'"
"$HARNESS/setup.sh" lint
"check_$1"
