#!/bin/bash
# test_container - what asks the kernel something here passes, or skips, as root of a container, too
#
# The suites that trace this machine run once more with fewer capabilities: without CAP_PERFMON and
# CAP_SYS_ADMIN, which stands for it; with those that a container manager gives by default.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make

default=-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service
default+=,+net_raw,+sys_chroot,+mknod,+audit_write,+setfcap

# within NAME BOUNDING_SET COMMAND...: no verdict of it is a failure
within() {
	local name=$1 caps=$2
	shift 2
	CMOCKA_MESSAGE_OUTPUT=TAP run_it setpriv --bounding-set="$caps" --inh-caps=-all --ambient-caps=-all "$@"
	if [ "$status" = 0 ] && grep -qE '^(ok|skip|not ok .*# SKIP)' "$scratch/out" "$scratch/err" &&
		! grep -hE '^not ok' "$scratch/out" "$scratch/err" | grep -qv '# SKIP'; then
		ok "${*##*/} $name"
	else
		not_ok "${*##*/} $name" "$scratch/out" "$scratch/err"
		comment "exit status $status"
	fi
}

if ! setpriv --bounding-set="$default" --inh-caps=-all --ambient-caps=-all true 2>/dev/null; then
	skip "root of a container" "no bounding set can be set here"
	finish
fi
for suite in exit_status flight flood record_files user_path; do
	within "with a container's capabilities" "$default" tests/cli/test_$suite.sh
	within "without CAP_PERFMON and CAP_SYS_ADMIN" -perfmon,-sys_admin tests/cli/test_$suite.sh
done
for unit in breakpoint child holders kallsyms klog maps supervise text; do
	within "with a container's capabilities" "$default" build/tests/unit/test_$unit
done
finish
