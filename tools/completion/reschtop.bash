# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for reschtop(8)
#
# Options are asked of reschtop itself: `reschtop --options [record]`.

# _reschtop_kind OPTION LINES: what its value is, of the lines of --options; "?" where it may lack
_reschtop_kind() {
	local line
	while IFS= read -r line; do
		[[ $line != "$1="* ]] || echo "${line#*=}"
	done <<<"$2"
}

_reschtop() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} first=1 i \
		command='' lines value

	COMPREPLY=()
	# "--option=value" comes as three words.
	[ "$cur" = "=" ] && cur=
	[ "$prev" = "=" ] && prev=${COMP_WORDS[COMP_CWORD - 2]}
	if [ "$COMP_CWORD" -gt 1 ] && [ "${COMP_WORDS[1]}" = record ]; then
		command=record
		first=2
	fi
	for ((i = first; i < COMP_CWORD; i++)); do
		if [ "${COMP_WORDS[i]}" = -- ]; then
			_command_offset $((i + 1))
			return
		fi
	done
	lines=$(reschtop --options $command 2>/dev/null | cut -f 1)
	value=
	[[ $prev != -* ]] || value=$(_reschtop_kind "$prev" "$lines")
	if [ -n "$value" ]; then
		[ "${value#\?}" != file ] || mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
	fi
	lines=$(sed '/^:/d; /^-[^-]/d; s/=.*//' <<<"$lines")
	[ "$COMP_CWORD" -gt 1 ] || lines+=" record"
	mapfile -t COMPREPLY < <(compgen -W "$lines" -- "$cur")
}

complete -F _reschtop reschtop
