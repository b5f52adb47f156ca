# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for reschtop(8)
#
# Options are asked of reschtop itself: `reschtop --options [record]`.

# Of an option's value that is no file nothing is known.
function __reschtop_value
    string match -qr "^$argv[1]=\\??file\t" -- $argv[3..-1]
    and __fish_complete_path $argv[2]
end

function __reschtop_complete
    set -l words (commandline -opc)[2..-1]
    set -l current (commandline -ct)

    if set -l at (contains -i -- -- $words)
        complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..-1]) $current)
        return
    end
    set -l action (string match -- record "$words[1]")
    set -l lines (reschtop --options $action 2>/dev/null)
    if string match -qr '^--[^=]+=' -- $current
        set -l parts (string split -m 1 = -- $current)
        __reschtop_value $parts[1] $parts[2] $lines | string replace -r -- '^' "$parts[1]="
        return
    end
    if set -q words[1]
        and string match -qr -- "^$words[-1]=" $lines
        __reschtop_value $words[-1] "$current" $lines
        return
    end
    string match -rv '^(:|-[^-])' -- $lines | string replace -r '^(--[^=\t]*)=[^\t]*' '$1='
    set -q words[1]
    or echo record
end

complete -c reschtop -f -a '(__reschtop_complete)'
