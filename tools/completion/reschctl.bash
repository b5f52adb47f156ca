# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for reschctl(8)
#
# Commands, actions, options and the words of their values are asked of reschctl itself: `reschctl
# --list [WHAT]`, `reschctl --options COMMAND [ACTION]`. What is on this machine is looked up here.

_reschctl_ids() {
	reschctl "$@" 2>/dev/null | awk 'NR > 1 { print $1 }'
}

# _reschctl_values WHAT: what a value or argument may be; of "time" and the like nothing is known.
_reschctl_values() {
	case $1 in
	,*) tr ',' '\n' <<<"${1#,}" ;;
	file) compgen -f -- "$cur" ;;
	directory) compgen -d -- "$cur" ;;
	users) compgen -u ;;
	groups) compgen -g ;;
	domains) _reschctl_ids domain list ;;
	servers) _reschctl_ids server list ;;
	chains) _reschctl_ids chain list ;;
	tasks) _reschctl_ids tasks ;;
	threads) ps -eLo tid= 2>/dev/null ;;
	shields) reschctl shield status 2>/dev/null | sed -n 's/^shield \([0-9,-]*\):.*/\1/p' ;;
	signals) kill -l | tr -s '\t )0-9' '\n' | sed -n 's/^SIG//p' ;;
	plugins)
		_reschctl_ids plugin list
		find "/lib/modules/$(uname -r)" -name 'resch-*.ko*' 2>/dev/null |
			sed 's,.*/resch-,,; s,\.ko.*,,'
		;;
	*) reschctl --list "$1" 2>/dev/null | cut -f 1 ;;
	esac
}

# _reschctl_kind OPTION LINES: what its value is, of the lines of --options
_reschctl_kind() {
	local line
	while IFS= read -r line; do
		[[ $line != "$1="* ]] || echo "${line#*=}"
	done <<<"$2"
}

_reschctl() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} \
		command=${COMP_WORDS[1]}
	local i words lines value

	COMPREPLY=()
	# "--option=value" comes as three words.
	[ "$cur" = "=" ] && cur=
	[ "$prev" = "=" ] && prev=${COMP_WORDS[COMP_CWORD - 2]}

	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < \
			<(compgen -W "$(reschctl --list 2>/dev/null | cut -f 1)" -- "$cur")
		return
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [ "${COMP_WORDS[i]}" = -- ]; then
			_command_offset $((i + 1))
			return
		fi
	done
	# The action counts once it has been typed.
	if [ "$COMP_CWORD" -gt 2 ]; then
		lines=$(reschctl --options "$command" "${COMP_WORDS[2]}" 2>/dev/null | cut -f 1)
	else
		lines=$(reschctl --options "$command" 2>/dev/null | cut -f 1)
	fi
	value=
	[[ $prev != -* ]] || value=$(_reschctl_kind "$prev" "$lines")
	if [ -n "$value" ]; then
		words=$(_reschctl_values "$value")
	else
		# short options are there for their values
		words=$(sed '/^:/d; /^-[^-]/d; s/=.*//' <<<"$lines")
		value=$(sed -n 's/^://p' <<<"$lines")
		[ -z "$value" ] || words+=" $(_reschctl_values "$value")"
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _reschctl reschctl
