# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What both boots of tests/harness/boot.sh look at: that what /etc/resch says is so, and a service
# of an ordinary user runs within it.

# shellcheck source=tests/guest/lib/tap.sh
. "${0%/*}/../guest/lib/tap.sh"
# The programs of the packages, not those of the build.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
unset LD_LIBRARY_PATH
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# has EXPRESSION: what is true of the servers, as Python
has() {
	reschctl server list --json | python3 -c '
import json, sys
servers = json.load(sys.stdin)["servers"]
sys.exit(not eval(sys.argv[1]))' "$1"
}

# control: the service's program, a member of the server
control() {
	pgrep -o -x control-loop
}

# admitted: it is on the server's CPU, by a real-time policy. While the budget is used up it is not.
admitted() {
	local pid
	pid=$(control) && chrt -p "$pid" | grep -q SCHED_FIFO &&
		taskset -cp "$pid" | grep -q ': 2$'
}

# alone: no ordinary process may use the shielded CPUs.
alone() {
	local pid list
	for pid in $(pgrep -v -P 2); do
		case $pid:$(ps -o comm= -p "$pid") in
		2:* | *:control-loop | *:belt-loop) continue ;;
		esac
		list=$(sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$pid/status" 2>/dev/null)
		case ${list:-0} in
		*[23]*)
			echo "# $pid ($(ps -o comm= -p "$pid")) may use CPUs $list"
			return 1
			;;
		esac
	done
}

# powerless: the service's user has that server, and nothing else. Its group may open the device.
as_user() {
	setpriv --reuid=control --regid=control --groups=resch "$@"
}
powerless() {
	! as_user reschctl domain set 1 --plugin=server && ! as_user reschctl domain del 1 &&
		! as_user reschctl run -p server --runtime=1ms --period=50ms --cpu=3 -- true &&
		! as_user reschctl server del 1:1 && as_user reschctl server list >/dev/null
} 2>/dev/null

# active UNIT: it is, or the log says why not.
active() {
	until_so systemctl -q is-active "$1" && return
	{
		stat -c '%A %U %G %n' /dev/resch
		systemctl --no-pager --full status "$1"
		journalctl --no-pager -b -o short-monotonic -u resch -u resch-shield -u "$1"
	} 2>&1 | sed 's/^/# /'
	return 1
}

restarts() {
	systemctl show -p NRestarts --value "$1"
}

# in_slice: the program of a slice's service has the slice's server's CPU, by a real-time policy.
in_slice() {
	local pid
	pid=$(pgrep -o -x belt-loop) && chrt -p "$pid" | grep -q SCHED_FIFO &&
		taskset -cp "$pid" | grep -q ': 3$'
}

# all_is_so: what /etc/resch has is there, and the service in it.
all_is_so() {
	for unit in resch resch-shield control resch-slice@line belt; do
		check "$unit.service is active" active $unit
	done
	check "control.service was let in at once" [ "$(restarts control)" = 0 ]
	check "nothing of /etc/resch lacks" \
		[ "$(reschctl diff /etc/resch 2>&1)" = "nothing to change" ]
	check "the server is the user's" \
		has 'servers[0]["name"] == "robot" and servers[0]["holder"] is not None'
	check "the service is a task in it" until_so has 'servers[0]["tasks"] > 0'
	check "on its CPU, in real time" until_so admitted
	check "which it pays for" until_so has 'servers[0]["consumed"] > 0'
	check "the program is an ordinary user's" [ "$(ps -o user= -p "$(control)")" = control ]
	check "who has this server and nothing else" powerless
	check "a slice's service is in the slice's server" until_so in_slice
	check "ordinary processes are elsewhere" until_so alone
}
