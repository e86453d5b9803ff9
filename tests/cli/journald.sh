# shellcheck shell=bash
# journald.sh - a real journald within a mount namespace, for tests; sourced

journald=/lib/systemd/systemd-journald

# journald_start LOG: with a /run of its own; its process is in $journald_pid. False: it does not start.
journald_start() {
	local i
	mount -t tmpfs tmpfs /run && mkdir -p /run/log/journal /run/systemd/journal /run/systemd/journald.conf.d || return
	# It must not touch the kernel that it shares with the host.
	printf '[Journal]\nStorage=volatile\nAudit=no\nReadKMsg=no\nRateLimitBurst=0\n' >/run/systemd/journald.conf.d/test.conf
	"$journald" >"$1" 2>&1 &
	journald_pid=$!
	for ((i = 0; i < 200; i++)); do
		[ -S /run/systemd/journal/socket ] && return
		sleep 0.05
	done
	return 1
}
