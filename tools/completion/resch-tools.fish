# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for the programs resch-*: options as they list them themselves, and files

function __resch_tools
    $argv[1] --help 2>/dev/null |
        string replace -rf '^ +(?:-[A-Za-z0-9][^-]*, )?(--[a-z][a-z-]*).*' '$1'
end

for name in balance check draw export gen jitter latency load sim
    complete -c resch-$name -n 'string match -q -- "-*" (commandline -ct)' -a "(__resch_tools resch-$name)"
end
