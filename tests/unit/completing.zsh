# SPDX-License-Identifier: GPL-2.0
#
# What zsh would complete each line of the file "asked" to, into the file "told": "==", then a word
# a line. It is the .zshrc of an interactive shell, which does so at its first prompt, and ends.

fpath=($SCRIPTS $fpath)
autoload -Uz compinit
compinit -u -D
setopt no_auto_menu no_list_ambiguous no_beep

# Calls that fill an array are made by others to look, and to offer later.
compadd() {
	local -a looking=("${(@)argv[1,(i)(-|--)]}") offered
	if [[ -n ${(M)looking:#-[OAD]*} ]]; then
		builtin compadd "$@"
		return
	fi
	builtin compadd -A offered "$@"
	print -rl -- "$IPREFIX"${^${(@)offered:#}} >>$HOME/told
	builtin compadd "$@"
}

ask() {
	local line
	for line in "${(@f)$(<$HOME/asked)}"; do
		print -r -- '==' >>$HOME/told
		BUFFER=$line CURSOR=$#line
		zle complete-word
	done
	exit
}
zle -N zle-line-init ask
