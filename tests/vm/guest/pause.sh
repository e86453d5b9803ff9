# shellcheck shell=bash
# pause.sh - waiting in a guest; sourced
#
# Who looks ten times a second whether lbrsnoop is there yet, with a grep and a sleep each time, takes
# time from it: without them vm/guard took 108 s of CPU instead of 115.

exec {pause_never}<> <(:)

# pause SECONDS: without a process. It succeeds: a loop has the status of its last command.
pause() {
	read -r -t "$1" -u "$pause_never" || :
}

# has_text FILE TEXT: is it there, with this text in it? Without a process.
has_text() {
	[[ -s $1 && $(<"$1") == *"$2"* ]]
}
