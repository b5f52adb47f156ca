# SPDX-License-Identifier: GPL-2.0
"""What shells complete a line of a program's to, by the scripts of tools/completion.

They run in an empty folder, with an environment of their own: neither who runs the tests nor what
runs beside them has a part in it.
"""

import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = HERE + '/../../tools/completion'
BASH = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
        'function=$(complete -p "$1"); function=${function##*-F }; "${function%% *}" "$1"; '
        'printf "%s\\n" "${COMPREPLY[@]}"')
FISH = 'source $argv[1]; for line in $argv[2..-1]; echo ==; complete -C $line; end'
# A shell that answers lives behind a terminal of its own.
ZSH = """zmodload zsh/zpty
cp $1 $HOME/.zshrc
export SCRIPTS=$2 TERM=dumb
shift 2
print -rl -- "$@" >$HOME/asked
zpty shell zsh -d -i
while zpty -r shell line; do print -rn -- "$line"; done >$HOME/shown
cat $HOME/told
! grep -a "$SCRIPTS\|^_[a-z]*:[0-9]" $HOME/shown >&2"""
NO_ZSH = not shutil.which('zsh') and 'zsh is not installed: tests/harness/setup.sh build'
NO_FISH = not shutil.which('fish') and 'fish is not installed: tests/harness/setup.sh build'
MARK = '==\n'


def run(program, arguments):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              cwd=folder, timeout=300, check=False,
                              env={'PATH': os.path.dirname(os.path.abspath(program)) + ':' +
                                   os.environ['PATH'], 'HOME': folder, 'LC_ALL': 'C.UTF-8',
                                   # whose search, once in thousands of programs, never ends
                                   'ASAN_OPTIONS': 'detect_leaks=0'})
    assert (done.returncode, done.stderr) == (0, ''), (arguments, done.returncode, done.stderr)
    return done.stdout


def script(name, ending):
    path = f'{SCRIPTS}/{name}.{ending}'
    return path if os.path.exists(path) else f'{SCRIPTS}/resch-tools.{ending}'


def bash(program, *words):
    """What the last word may be; "--option=value" is three."""
    name = os.path.basename(program)
    return run(program, ['bash', '--noprofile', '--norc', '-c', BASH, 'bash',
                         script(name, 'bash'), name, *words]).split()


def told(text, lines):
    """What a shell has told of each line."""
    found = [part.splitlines() for part in text.split(MARK)[1:]]
    assert len(found) == len(lines), text
    return found


def fish(program, *lines):
    """For each of the lines, without the program's name, what its last word may be."""
    name = os.path.basename(program)
    text = run(program, ['fish', '--no-config', '-c', FISH, script(name, 'fish'),
                         *[f'{name} {line}' for line in lines]])
    return [[row.split('\t')[0] for row in part] for part in told(text, lines)]


def zsh(program, *lines):
    """The same in zsh; of a path only its last part, and each word once."""
    name = os.path.basename(program)
    text = run(program, ['zsh', '-f', '-c', ZSH, 'zsh', f'{HERE}/completing.zsh', SCRIPTS,
                         *[f'{name} {line}' for line in lines]])
    return [sorted({row.strip() for row in part} - {''}) for part in told(text, lines)]
