# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for reschctl(8)

_reschctl_ids() {
	reschctl "$@" 2>/dev/null | awk 'NR > 1 { print $1 }'
}

_reschctl_plugins() {
	{
		reschctl plugin list 2>/dev/null | awk 'NR > 1 { print $1 }'
		find "/lib/modules/$(uname -r)" -name 'resch-*.ko*' 2>/dev/null |
			sed 's,.*/resch-,,; s,\.ko.*,,'
	} | sort -u
}

_reschctl() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
	local task="--runtime --period --deadline --offset --kind --overrun --miss --signal --priority --group --cpu --name --sync
		--skip-admission --policy --cpus --domain --capacity --overhead --keep --events --output --quiet --json"
	local i words=

	COMPREPLY=()
	# "--option=value" comes as three words.
	[ "$cur" = "=" ] && cur=
	[ "$prev" = "=" ] && prev=${COMP_WORDS[COMP_CWORD - 2]}

	if [ "$COMP_CWORD" -eq 1 ]; then
		words="doctor run attach tasks top events domain server balance plugin assign shield unshield guard level start release unregister info version help"
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
	fi
	if [ "$command" = run ]; then
		for ((i = 2; i < COMP_CWORD; i++)); do
			if [ "${COMP_WORDS[i]}" = -- ]; then
				_command_offset $((i + 1))
				return
			fi
		done
	fi
	case $prev in
	--policy) [ "$command" = server ] && words="edf dm rm priority fifo rr" || words=$(_reschctl_plugins) ;;
	--plugin | -p) words=$(_reschctl_plugins) ;;
	--kind | -k) [ "$command" = server ] && words="cbs-hard cbs cus tbs passive linux" || words="wakeup periodic sporadic" ;;
	--overrun | --miss) words="count notify signal skip throttle demote" ;;
	--signal) words=$(kill -l | tr -s '\t )0-9' '\n' | sed -n 's/^SIG//p') ;;
	--domain | --id) words=$(_reschctl_ids domain list) ;;
	--pid) words=$(ps -eLo tid= 2>/dev/null) ;;
	--method | -m) [ "$command" = assign ] && words="sekg npsf cnpsf" ;;
	--overheads) words="paper4 paper24 reserve= release= switch= cost= cache= irq=" ;;
	--config | --output | -o | --draw)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	--budget | --quantum | --runtime | --period | --deadline | --offset | --cpus | --capacity | --overhead | --at | --interval | \
		--thread | -t | --delta | -d | --delta-max | --cluster | --slot-min | --join | --keep-irq | --keep-task) return ;;
	esac
	if [ -z "$words" ]; then
		case $command in
		doctor) words="--cpus --root --json" ;;
		run) words="$task --thread --config --" ;;
		attach) words="$task --pid" ;;
		tasks | info | version) words="--json" ;;
		assign)
			words="--method --cpus --delta --delta-max --cluster --slot-min --exact --overheads --join --keep --force --draw --apply --run --jobs --seed
				--json $(compgen -f -- "$cur")"
			;;
		shield) words="status --keep-irq --keep-task --plugin --watch --cpus --interval --root --json" ;;
		unshield) words="--root --json $(reschctl shield status 2>/dev/null | sed -n 's/^shield \([0-9,-]*\):.*/\1/p')" ;;
		top) words="--interval --once --json" ;;
		events) words="--interval --json" ;;
		start) words="--at --json $(_reschctl_ids domain list)" ;;
		release | unregister) words=$(_reschctl_ids tasks) ;;
		plugin)
			words="list load --json"
			[ "$prev" = load ] && words=$(_reschctl_plugins)
			;;
		balance) words="list set all none weight push estimate associate --json" ;;
		server) words="list add set del size run attach --budget --period --kind --policy --plugin --quantum --reclaim --cpu --cpus --domain --name --overhead --quiet --json" ;;
		guard)
			words="list on off lend --all --manual --exempt --json"
			[[ $prev = on || $prev = off ]] && words=$(_reschctl_ids domain list)
			;;
		level) words="rt0 rt1 linux --cpu --policy --priority --threads" ;;
		domain)
			words="list set del --plugin --capacity --overhead --balance --guard --id --json"
			[ "$prev" = del ] && words=$(_reschctl_ids domain list)
			;;
		esac
		words+=" --help"
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _reschctl reschctl
