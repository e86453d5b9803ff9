# shellcheck shell=bash
# shellcheck disable=SC2154 # cache, vm_dir and progname are from cache.sh
# apt.sh - Debian's packages through a private apt, the system's left as it is; sourced
#
# The system's apt may lack deb-src entries, adding one can conflict with another's
# Signed-By, and only root may refresh its lists. So: own lists, own sources, made
# from the mirrors that the host itself uses. Proxies and certificates are the host's.

apt_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# "URI SUITE" of the Debian archives the host uses, deb.debian.org if none is found.
apt_mirrors() {
	local codename
	codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release | tr -d '"')
	[ -n "$codename" ] || die "/etc/os-release names no Debian release"
	# shellcheck disable=SC2016 # apt expands these
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 2>/dev/null |
		awk -v codename="$codename" '
			$3 == "main" && $1 ~ /\/debian(-security)?\/?$/ &&
			($2 == codename || $2 == codename "-updates" || $2 == codename "-security") {
				main += $2 == codename
				security += $2 == codename "-security"
				if (!seen[$1, $2]++)
					print $1, $2
			}
			END {
				if (!main) {
					print "http://deb.debian.org/debian", codename
					print "http://deb.debian.org/debian", codename "-updates"
				}
				if (!security)
					print "http://deb.debian.org/debian-security", codename "-security"
			}'
}

apt_configure() {
	local apt=$cache/apt uri suite
	[ -f "$apt_keyring" ] || die "$apt_keyring is missing: apt-get install debian-archive-keyring"
	mkdir -p "$apt/lists/partial" "$apt/archives/partial"
	# A newer one would make apt parse all lists again, at each question.
	[ -f "$apt/status" ] || : >"$apt/status"
	apt_mirrors | while read -r uri suite; do
		printf 'deb [arch=amd64 signed-by=%s] %s %s main\n' "$apt_keyring" "$uri" "$suite"
		printf 'deb-src [signed-by=%s] %s %s main\n' "$apt_keyring" "$uri" "$suite"
		# Kernels newer than this release has; its priority is 100, so nothing else comes from there.
		if [ "$suite" = bookworm ]; then
			printf 'deb [arch=amd64 signed-by=%s] %s trixie-backports main\n' "$apt_keyring" "$uri"
		fi
	done >"$apt/sources.list.new"
	# Other sources: the lists of before are of no use.
	if cmp -s "$apt/sources.list.new" "$apt/sources.list"; then
		rm "$apt/sources.list.new"
	else
		rm -f "$apt/lists/updated"
		mv "$apt/sources.list.new" "$apt/sources.list"
	fi
	cat >"$apt/apt.conf" <<-END
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		#clear DPkg::Post-Invoke;
		Dir::Etc::SourceList "$apt/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		Dir::Etc::Preferences "/dev/null";
		Dir::Etc::PreferencesParts "/dev/null";
		Dir::State::Lists "$apt/lists";
		Dir::State::Status "$apt/status";
		Dir::Cache "$apt";
		Dir::Cache::Archives "$apt/archives";
		# Images of containers switch them off (docker-clean): a second of CPU for each question.
		Dir::Cache::pkgcache "pkgcache.bin";
		Dir::Cache::srcpkgcache "srcpkgcache.bin";
		APT::Sandbox::User "";
		APT::Architecture "amd64";
		APT::Default-Release "";
		Acquire::Languages "none";
		Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
		Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
		Acquire::Retries "3";
	END
}

# Once a day is enough, or when told that a file is gone from the mirror.
# shellcheck disable=SC2120 # setup passes it
apt_update() {
	local stamp=$cache/apt/lists/updated
	apt_configure
	if [ "${1:-}" != --force ] && [ -n "$(find "$stamp" -mtime -1 2>/dev/null)" ]; then
		return
	fi
	say "reading Debian's package lists"
	apt-get -c "$cache/apt/apt.conf" -q=2 update >&2 || die "apt-get update failed"
	touch "$stamp"
}

apt_progress() {
	if [ -t 2 ]; then
		echo -q=0
	else
		echo -q=2
	fi
}

# apt_has PACKAGE=VERSION
# All of the answer is read: with pipefail, an apt-cache that the end of a pipe stops is a failure.
apt_has() {
	[ -n "$(apt-cache -c "$cache/apt/apt.conf" show "$1" 2>/dev/null)" ]
}

# apt_download DIRECTORY PACKAGE=VERSION
apt_download() {
	local size
	size=$(apt-cache -c "$cache/apt/apt.conf" show "$2" | awk '/^Size:/ && !n++ { print int($2 / 1e6) }')
	say "downloading $2, ${size:-?} MB"
	(cd "$1" && apt-get -c "$cache/apt/apt.conf" "$(apt_progress)" download "$2" >&2) ||
		die "cannot download $2"
}

# The newest image package of a kernel series: "PACKAGE VERSION RELEASE", from the
# metapackages that may lead there; on Debian 12 linux-image-amd64 leads to 6.1 and
# linux-image-6.12-amd64 to 6.12. What is in backports alone has no metapackage that stays.
apt_kernel() {
	local series=$1 meta found
	found=$(for meta in linux-image-amd64 "linux-image-$series-amd64"; do
		apt-cache -c "$cache/apt/apt.conf" show --no-all-versions "$meta" 2>/dev/null
	done | apt_kernel_of_meta "$series")
	if [ "$found" ]; then
		echo "$found"
	else
		apt_kernel_by_name "$series"
	fi
}

apt_kernel_by_name() {
	local package version
	package=$(apt-cache -c "$cache/apt/apt.conf" pkgnames "linux-image-$1." |
		grep -E '^linux-image-[0-9.]+(\+deb[0-9]+)?(-[0-9]+)?-amd64$' | sort -V | tail -n 1)
	[ -n "$package" ] || return
	version=$(apt-cache -c "$cache/apt/apt.conf" show --no-all-versions "$package" |
		awk '/^Version:/ && !n++ { print $2 }')
	echo "$package $version ${package#linux-image-}"
}

apt_kernel_of_meta() {
	awk -v series="$1" '
		/^Depends:/ && !release {
			for (i = 2; i < NF && !release; i++)
				if (index($i, "linux-image-" series ".") == 1 && $(i + 1) == "(=") {
					version = $(i + 2)
					sub(/\).*/, "", version)
					release = $i
					sub(/^linux-image-/, "", release)
					print $i, version, release
				}
		}'
}

# The newest version of the source package qemu.
apt_qemu_version() {
	apt-cache -c "$cache/apt/apt.conf" showsrc --only-source qemu 2>/dev/null |
		awk '/^Version:/ { print $2 }' | sort -V | tail -n 1
}
