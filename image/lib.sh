# shellcheck shell=bash
# lib.sh: what image/bake stands on: saying what goes on, cleaning up, running things inside a
# tree, and asking whether this machine can bake at all. Sourced; the globals are bake's.
# shellcheck disable=SC2154 # cache, log, recipe, recipe_suite, format, keep, need_mib

fail() {
	trap - ERR
	echo "brig: image: $*" >&2
	exit 125
}

# One line per stage: its name at once, its seconds when it is done.
stage() {
	stage_name=$1
	stage_start=${EPOCHREALTIME/./}
	printf '  %-8s %s ... ' "$1" "$2"
}

staged() {
	printf '%d.%d s\n' $(((${EPOCHREALTIME/./} - stage_start) / 1000000)) \
		$(((${EPOCHREALTIME/./} - stage_start) / 100000 % 10))
	stage_name=
}

# What a failed stage says after the log's last lines.
hint_of_log() {
	if grep -q 'No space left' "$log"; then
		echo "free some space in $BRIG_STORE and $scratch"
	elif grep -qE 'NO_PUBKEY|EXPKEYSIG|is not signed|not verified' "$log"; then
		echo "this machine lacks the keys of $recipe_suite: apt-get install debian-archive-keyring"
	elif grep -qE 'Unable to locate package|has no installation candidate' "$log"; then
		echo "the recipe names a package that $recipe_suite does not have: correct $recipe"
	elif grep -qE 'resolve|onnect|timed out|404|Failed to fetch' "$log"; then
		echo "the apt mirror cannot be reached or lacks $recipe_suite: check the network and /etc/apt"
	elif grep -qE 'newuidmap|newgidmap|subuid|subgid' "$log"; then
		echo "give this user subordinate ids: usermod --add-subuids 100000-165535" \
			"--add-subgids 100000-165535 $(id -un)"
	else
		echo "the whole log is $log"
	fi
}

# The failing command may sit inside redirections: 3 and 4 are the bake's own stdout and stderr.
stage_failed() {
	trap - ERR
	exec >&3 2>&4
	printf 'failed\n'
	tail -n 12 "$log" | sed 's/^/    /' >&2
	fail "$stage_name failed: $(hint_of_log)"
}

# Never beyond a mount that something may have left in a tree.
remove() {
	rm -rf --one-file-system -- "$@"
}

partial=()
clean_up() {
	trap - EXIT
	remove_scratch
	for path in "${partial[@]}"; do
		[ -n "$keep" ] && [ -e "$path" ] && echo "kept: $path" && continue
		remove "$path"
	done
}

interrupted() {
	printf '\nbrig: image: interrupted; nothing was published\n' >&4
	exit 130
}

# within ROOT BIND… -- COMMAND…: runs it in ROOT on its own Python and tools, in fresh namespaces
# with a private /dev and /tmp. BIND is HOST-FOLDER:PLACE, an existing folder below ROOT.
# The environment is what ENV (NAME=VALUE words, an array) says and nothing of the caller's.
within() {
	local root=$1 binds=()
	shift
	while [ "$1" != -- ]; do binds+=("$1") && shift; done
	shift
	local user=()
	[ "$(id -u)" = 0 ] || user=(--user --map-root-user)
	# shellcheck disable=SC2016 # the inner shell expands these
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 PYTHONHASHSEED=0 \
		PYTHONDONTWRITEBYTECODE=1 SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" "${ENV[@]}" \
		unshare "${user[@]}" --mount --net --ipc --uts --pid --fork --kill-child \
		/bin/bash -euc '
			root=$1
			shift
			hostname cell
			mount -t tmpfs -o mode=755 tmpfs "$root/dev"
			mkdir -m 1777 "$root/dev/shm"
			for node in null zero full random urandom; do
				: >"$root/dev/$node"
				mount --bind "/dev/$node" "$root/dev/$node"
			done
			mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
			while [ "$1" != -- ]; do
				mount --bind "${1%%:*}" "$root/${1#*:}"
				shift
			done
			shift
			exec chroot "$root" "$@"
		' bake "$root" "${binds[@]}" -- "$@"
}

# key_of FILE…|-: the first 16 digits of one SHA-256 over names and contents.
key_of() {
	sha256sum -- "$@" | sha256sum | cut -c1-16
}

require() {
	command -v "$1" >/dev/null || fail "$1 is missing: apt-get install $2"
}

free_mib() {
	df --output=avail -BM -- "$1" | tail -n 1 | tr -dc 0-9
}

check_machine() {
	require flock util-linux
	require unshare util-linux
	require mmdebstrap mmdebstrap
	[ "$format" = dir ] || require mkfs.erofs erofs-utils
	[ "$(id -u)" = 0 ] || check_user
}

check_user() {
	require newuidmap uidmap
	grep -qE "^($(id -un)|$(id -u)):" /etc/subuid /etc/subgid 2>/dev/null ||
		fail "user $(id -un) has no subordinate ids: as root, usermod" \
			"--add-subuids 100000-165535 --add-subgids 100000-165535 $(id -un)"
	unshare --user --map-root-user true 2>/dev/null ||
		fail "this host forbids user namespaces: as root, sysctl" \
			"kernel.unprivileged_userns_clone=1 (or kernel.apparmor_restrict_unprivileged_userns=0)"
}

check_space() {
	local folder mib
	for folder in "$BRIG_STORE" "$scratch"; do
		mib=$(free_mib "$folder")
		[ "$mib" -ge "$need_mib" ] ||
			fail "$folder has $mib MiB free, a bake needs $need_mib: free some space"
	done
}

# mmdebstrap's own files. An ordinary user's subordinate ids must reach them, which a home folder
# may forbid. The name is fixed, so that what a killed bake has left is found again.
make_scratch() {
	scratch=$cache/scratch.new
	[ "$(id -u)" = 0 ] ||
		scratch=${TMPDIR:-/var/tmp}/brig-bake-$(id -u)-$(echo "$BRIG_STORE" | key_of -)
	remove_scratch
	mkdir -m 711 -- "$scratch"
	export TMPDIR=$scratch
}

remove_scratch() {
	[ -d "$scratch" ] || return 0
	local as_owner=()
	[ "$(id -u)" = 0 ] || as_owner=(unshare --user --map-root-user --map-auto)
	"${as_owner[@]}" rm -rf --one-file-system -- "$scratch"
}
