# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Other suites' packages without touching this machine's apt configuration:
# package lists in a private tree, from the archive that this machine uses.
# Sourced after lib.sh.

KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# site_of main|security: the address of that archive in the machine's apt
# configuration, whichever format its files have.
site_of() {
	# shellcheck disable=SC2016 # apt expands these
	apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk -v want="$1" '
			BEGIN {
				suite = "^(bookworm|trixie|forky|sid|(old)?stable|testing|unstable)"
			}
			$3 != "main" { next }
			want == "main" && $2 ~ suite "$" { print $1; exit }
			want == "security" && $2 ~ suite "-security$" { print $1; exit }'
}

# sources_for SUITE[+SUITE...]: sources.list lines.
sources_for() {
	local suite main security first=${1%%+*}
	main=${RESCH_MIRROR:-$(site_of main)}
	security=${RESCH_SECURITY_MIRROR:-$(site_of security)}
	[ -n "$main" ] ||
		die "no Debian archive in this machine's apt sources; set RESCH_MIRROR=http://..."
	for suite in ${1//+/ }; do
		echo "deb [signed-by=$KEYRING] $main $suite main"
	done
	[ "$first" = sid ] && return
	echo "deb [signed-by=$KEYRING] $main $first-updates main"
	[ -z "$security" ] || echo "deb [signed-by=$KEYRING] $security $first-security main"
}

# transport: how this machine's apt reaches its archive (proxies, certificates,
# whether the archive may be a frozen one), as lines of apt.conf.
transport() {
	apt-config dump --format '%f "%v";%n' |
		grep -E '^Acquire::(https?|Check-[A-Za-z-]+|Proxy)' || true
}

# More options for private_apt; a script may set it after this.
APT_OPTIONS=()

# private_apt DIR COMMAND ARGS...: apt on package lists of our own.
private_apt() {
	local dir=$1 tool=$2
	shift 2
	"$tool" -o Dir="$dir" -o Dir::State::status="$dir/var/lib/dpkg/status" \
		-o Acquire::Languages=none -o Acquire::Retries=5 -o APT::Sandbox::User=root \
		-o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
		-o Acquire::IndexTargets::deb::DEP-11-icons::DefaultEnabled=false \
		-o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false \
		"${APT_OPTIONS[@]}" "$@"
}

# index DIR SOURCES: fetch the package lists of these suites.
index() {
	mkdir -p "$1"/etc/apt/{apt.conf.d,preferences.d} "$1/var/lib/dpkg" \
		"$1/var/lib/apt/lists/partial" "$1/var/cache/apt/archives/partial"
	: >"$1/var/lib/dpkg/status"
	sources_for "$2" >"$1/etc/apt/sources.list"
	private_apt "$1" apt-get -qq update
}
