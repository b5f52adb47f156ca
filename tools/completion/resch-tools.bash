# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for the programs resch-*: options as they list them themselves, and files

_resch_tools() {
	local cur=${COMP_WORDS[COMP_CWORD]}

	COMPREPLY=()
	[[ $cur == -* ]] || return 0
	mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" --help 2>/dev/null |
		sed -nE 's/^ +(-[A-Za-z0-9][^-]*, )?(--[a-z][a-z-]*).*/\2/p')" -- "$cur")
}

complete -o default -F _resch_tools resch-balance resch-check resch-draw resch-export resch-gen \
	resch-jitter resch-latency resch-load resch-sim
