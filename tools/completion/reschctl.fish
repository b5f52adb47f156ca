# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for reschctl(8)
#
# Commands, actions, options and the words of their values are asked of reschctl itself: `reschctl
# --list [WHAT]`, `reschctl --options COMMAND [ACTION]`. What is on this machine is looked up here.

function __reschctl_ids
    reschctl $argv 2>/dev/null | awk 'NR > 1 { print $1 }'
end

# __reschctl_values WHAT BEGUN: what a value or argument may be; of "time" and the like nothing is known.
function __reschctl_values
    switch $argv[1]
        case ',*'
            string split , -- (string sub -s 2 -- $argv[1])
        case file
            __fish_complete_path $argv[2]
        case directory
            __fish_complete_directories $argv[2]
        case users
            __fish_complete_users
        case groups
            __fish_complete_groups
        case domains
            __reschctl_ids domain list
        case servers
            __reschctl_ids server list
        case chains
            __reschctl_ids chain list
        case tasks
            __reschctl_ids tasks
        case threads
            __fish_complete_pids
        case shields
            reschctl shield status 2>/dev/null | string replace -rf '^shield ([0-9,-]*):.*' '$1'
        case signals
            command kill -l | string match -ar '[A-Z][A-Z0-9+-]+' | string replace -r '^SIG' ''
        case plugins
            __reschctl_ids plugin list
            find /lib/modules/(uname -r) -name 'resch-*.ko*' 2>/dev/null |
                string replace -r '.*/resch-(.*)\.ko.*' '$1'
        case '*'
            reschctl --list $argv[1] 2>/dev/null
    end
end

# __reschctl_kind NAME LINE...: what the value of that option is, of the lines of --options.
function __reschctl_kind
    string replace -rf "^$argv[1]=([^\t]*).*" '$1' -- $argv[2..-1]
end

function __reschctl_complete
    set -l words (commandline -opc)[2..-1]
    set -l current (commandline -ct)

    if not set -q words[1]
        reschctl --list 2>/dev/null
        return
    end
    if set -l at (contains -i -- -- $words)
        complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..-1]) $current)
        return
    end
    # The action counts once it has been typed.
    set -l lines (reschctl --options $words[1..(math min 2, (count $words))] 2>/dev/null)
    if string match -qr '^--[^=]+=' -- $current
        set -l parts (string split -m 1 = -- $current)
        set -l kind (__reschctl_kind $parts[1] $lines)
        __reschctl_values "$kind" $parts[2] | string replace -r -- '^' "$parts[1]="
        return
    end
    if string match -q -- '-*' $words[-1]
        and set -l kind (__reschctl_kind $words[-1] $lines)
        __reschctl_values "$kind" $current
        return
    end
    # Short options are there for their values.
    string match -rv '^(:|-[^-])' -- $lines | string replace -r '^(--[^=\t]*)=[^\t]*' '$1='
    for kind in (string replace -rf '^:([^\t]*).*' '$1' -- $lines)
        __reschctl_values $kind $current
    end
end

complete -c reschctl -f -a '(__reschctl_complete)'
