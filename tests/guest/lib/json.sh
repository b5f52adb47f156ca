# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# json.sh - what a file of JSON says, for tests in bash
#
# One Python answers all questions of a test: to start one takes an emulated machine up to a second.
#
#	json_start
#	json_ask FILE EXPRESSION	the value of a Python expression of d, the parsed JSON, in
#					$REPLY; or what is wrong with it
#	json_value FILE EXPRESSION	prints it
#
# It is a child of the test, and so among its jobs: it is to be killed before a `wait` for all.

json_start() {
	coproc json_python {
		exec python3 -u -c '
import json, sys
for line in sys.stdin:
    path, expression = line.rstrip("\n").split("\t", 1)
    try:
        with open(path, encoding="utf-8") as file:
            d = json.load(file)
        print(str(eval(expression)).replace("\n", " "))
    except Exception as error:
        print(repr(error))
'
	}
	# A coprocess is not there in subshells, descriptors are.
	exec 6<&"${json_python[0]}" 7>&"${json_python[1]}"
}

json_ask() {
	printf '%s\t%s\n' "$1" "$2" >&7
	IFS= read -r REPLY <&6
}

json_value() {
	json_ask "$1" "$2"
	printf '%s\n' "$REPLY"
}
