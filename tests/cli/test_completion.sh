#!/bin/bash
# test_completion - bash and zsh offer what the program takes: its commands, options, values, targets
#
# What is offered is asked of a real bash and a real zsh, which a Tab is typed into.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make

# A program that has the functions of no kernel in particular; one of them would be a command.
mkdir "$scratch/bin" "$scratch/files"
cat >"$scratch/bin/lbrsnoop" <<END
#!/bin/bash
if [ "\$1" = list ]; then
	case \$2 in
	'vfs_o*') printf 'vfs_open\tfexit\t\nvfs_open_tree\tfexit\t\nvfs_o\$(touch $scratch/obeyed)\tfexit\t\n' ; exit ;;
	'do_sys_openat*') printf 'do_sys_openat2\tfexit,hw\t\n' ; exit ;;
	'tracepoint:sc*:*') printf 'tracepoint:sched:sched_switch\ttp\ntracepoint:scsi:scsi_eh\ttp\n' ; exit ;;
	'tracepoint:sched:*') printf 'tracepoint:sched:sched_switch\ttp\n' ; exit ;;
	targets | presets | perf | errnos) ;;
	*) exit 1 ;;
	esac
fi
exec $PWD/lbrsnoop "\$@"
END
chmod +x "$scratch/bin/lbrsnoop"
touch "$scratch/files/one.lbr"
PATH=$scratch/bin:$PATH

# Types each line of stdin and a Tab into a shell, and prints "LINE<TAB>OFFERED" for each that is
# offered, and "LINE<TAB>=WHAT STANDS THERE NOW".
cat >"$scratch/type" <<'END'
zmodload zsh/zpty zsh/datetime
shell=$1 top=$2 work=$3
out=$work/offered.$shell
: >$out
drain() { local text; while zpty -r -t s text; do :; done }
# After what was typed before has been done, ^X says so.
await() {
	local -F end=$((EPOCHREALTIME + 20))
	local marks=$1
	while [[ $(grep -c '^done$' $out) -lt $marks ]]; do
		drain
		((EPOCHREALTIME < end)) || { print -u2 "$shell does not answer"; exit 1; }
		sleep 0.01
	done
}
cd $work/files
if [[ $shell == bash ]]; then
	zpty s "env INPUTRC=/dev/null HISTFILE= TERM=dumb bash --norc --noprofile -i"
	cat >$work/init <<-INIT
		. $top/completions/lbrsnoop.bash
		PS1=; bind 'set completion-query-items 0'; bind 'set page-completions off'; bind 'set bell-style none'
		_offered() { _lbrsnoop "\$@"; [ \${#COMPREPLY[@]} = 0 ] || printf 'offer %s\n' "\${COMPREPLY[@]}" >>$out; }
		complete -F _offered lbrsnoop
		bind -x '"\C-x": printf "line %s\ndone\n" "\$READLINE_LINE" >>$out; READLINE_LINE='
	INIT
else
	zpty s "env TERM=dumb zsh -f -i"
	cat >$work/init <<-INIT
		PS1=; fpath=($top/completions \$fpath); autoload -Uz compinit; compinit -u -D
		setopt no_auto_list no_auto_menu no_beep; LISTMAX=0
		compadd() {
			local -a _got
			# Those only ask what would match.
			[[ -n \${(M)@:#-[ADO]} ]] || builtin compadd -O _got "\$@" 2>/dev/null
			((\$#_got)) && print -rl -- "offer "\${^_got} >>$out
			builtin compadd "\$@"
		}
		_end() { print -r -- "line \$BUFFER"\$'\n'done >>$out; BUFFER=; }
		zle -N _end; bindkey '^X' _end
	INIT
fi
zpty -w s ". $work/init"
zpty -w -n s $'\x18'
marks=1
await 1
while IFS= read -r line; do
	: >$out.one
	marks=$((marks + 1))
	zpty -w -n s $line$'\t'$'\x18'
	await $marks
	awk -v line="$line" -v skip=$((marks - 1)) -v OFS='\t' '
		/^done$/ { n++; next }
		n == skip && /^offer / { print line, substr($0, 7) }
		n == skip && /^line / { print line, "=" substr($0, 6) }' $out
done
END

if ! command -v zsh >/dev/null; then
	skip "completion" "zsh is not installed, which types into both shells"
	finish
fi

# same NAME WANTED GOT
same() {
	if diff "$2" "$3" >"$scratch/diff"; then
		ok "$1"
	else
		not_ok "$1" "$scratch/diff"
	fi
}

# offered LINE: what was offered at it, without the blank that a completed word gets
offered() {
	awk -F '\t' -v line="$1" '$1 == line && $2 !~ /^=/ { sub(/ $/, "", $2); print $2 }' "$scratch/$shell" | LC_ALL=C sort -u
}

# becomes NAME LINE WANTED
becomes() {
	local got
	got=$(awk -F '\t' -v line="$2" '$1 == line && $2 ~ /^=/ { print substr($2, 2) }' "$scratch/$shell")
	if [ "$got" = "$3" ]; then
		ok "$shell: $1"
	else
		not_ok "$shell: $1"
		comment "typed '$2', got '$got', wanted '$3'"
	fi
}

words_of() {
	tr -s ', ' '\n' | LC_ALL=C sort -u
}

./lbrsnoop help | sed -n -E 's/^lbrsnoop \[?([a-z]+)\]? .*/\1/p' | LC_ALL=C sort >"$scratch/commands"
# A process whose name is a command for the shell.
nap="$scratch/hi\$(x)"
cp /bin/sleep "$nap"
"$nap" 300 &
# shellcheck disable=SC2064 # this process
trap "kill $!; rm -rf '$scratch'" EXIT

{
	grep -v help "$scratch/commands" | sed 's/.*/lbrsnoop & -/'
	printf '%s\n' 'lbrsnoop ' 'lbrsnoop po' 'lbrsnoop help de' 'lbrsnoop --trig' 'lbrsnoop -T ' 'lbrsnoop --trigger=kr' \
		'lbrsnoop -j ' 'lbrsnoop -j any,co' 'lbrsnoop --branches=any_r' 'lbrsnoop --branches ' 'lbrsnoop --at ' \
		'lbrsnoop --color ' 'lbrsnoop -e ' 'lbrsnoop -e ENOENT,EHWPO' 'lbrsnoop why --errno=EHWPO' \
		'lbrsnoop decode --cpu ' 'lbrsnoop decode --input ' 'lbrsnoop decode --format ' \
		'lbrsnoop preset:wa' 'lbrsnoop perf:page-' 'lbrsnoop vfs_o' 'lbrsnoop kretprobe:do_sys_openat' 'lbrsnoop list do_sys_openat' \
		'lbrsnoop tracepoint:sc' 'lbrsnoop tracepoint:sched:' 'lbrsnoop report on' 'lbrsnoop compare on' 'lbrsnoop compare vfs_o' 'lbrsnoop --record=on' \
		"lbrsnoop uprobe:$scratch/files/on" 'lbrsnoop vfs_open -- lbrsnoop po' 'lbrsnoop -c hi' 'lbrsnoop doctor '
} >"$scratch/lines"

for shell in bash zsh; do
	zsh -f "$scratch/type" $shell "$PWD" "$scratch" <"$scratch/lines" >"$scratch/$shell" 2>"$scratch/err" ||
		not_ok "$shell answers" "$scratch/err"
	for command in $(grep -v help "$scratch/commands"); do
		./lbrsnoop help "$command" | grep -o -E '^ +-.*' | sed -E 's/^ {2,6}(-., )?(--[a-z-]+=?)?.*/\1\n\2/; s/, / /' |
			tr -d ' ' | grep . | LC_ALL=C sort -u >"$scratch/wanted"
		offered "lbrsnoop $command -" >"$scratch/got"
		same "$shell: the options of $command are those of its help" "$scratch/wanted" "$scratch/got"
	done
	offered 'lbrsnoop ' | grep -v ':$' >"$scratch/got"
	same "$shell: the commands are those of help" "$scratch/commands" "$scratch/got"
	becomes "a command" 'lbrsnoop po' 'lbrsnoop postmortem '
	becomes "a command behind help" 'lbrsnoop help de' 'lbrsnoop help decode '
	becomes "an option that takes a value" 'lbrsnoop --trig' 'lbrsnoop --trigger='

	# What the program says it would have liked.
	while IFS='|' read -r line option; do
		# shellcheck disable=SC2086 # words
		$PWD/lbrsnoop $option 2>&1 >/dev/null | sed -n -E \
			"s/.*(one of|are known:|expected) (.*)/\2/; s/ or / /; 1p" |
			words_of >"$scratch/wanted"
		offered "$line" >"$scratch/got"
		same "$shell: '$line'" "$scratch/wanted" "$scratch/got"
	done <<-'END'
		lbrsnoop -T |-T nosuch x
		lbrsnoop -j |-j nosuch x
		lbrsnoop --at |--at nosuch x
		lbrsnoop --color |--color nosuch x
		lbrsnoop decode --input |decode --input nosuch
	END
	becomes "a value behind =" 'lbrsnoop --trigger=kr' 'lbrsnoop --trigger=kretprobe '
	becomes "the second of a list" 'lbrsnoop -j any,co' 'lbrsnoop -j any,cond '
	becomes "of a value that may be left out" 'lbrsnoop --branches=any_r' 'lbrsnoop --branches=any_ret '
	if offered 'lbrsnoop --branches ' | grep -q -x preset:; then
		ok "$shell: behind an option whose value may be left out stands a target"
	else
		not_ok "$shell: behind an option whose value may be left out stands a target"
	fi

	# Each of them is taken; what Python knows is among them.
	offered 'lbrsnoop -e ' >"$scratch/got"
	run_it ./lbrsnoop -e "$(grep -v -x none "$scratch/got" | paste -s -d ,)" ''
	python3 -c '
import errno
print("\n".join(sorted(set(errno.errorcode.values()) - {"ENOTSUP", "EOPNOTSUPP", "EDEADLOCK"})))' >"$scratch/python"
	if ! grep -q -e --errno "$scratch/err" && [ "$(LC_ALL=C sort "$scratch/python" | comm -23 - "$scratch/got" | wc -l)" = 0 ] &&
		[ "$(wc -l <"$scratch/python")" -gt 100 ]; then
		ok "$shell: errnos"
	else
		not_ok "$shell: errnos" "$scratch/err"
	fi
	becomes "the second errno" 'lbrsnoop -e ENOENT,EHWPO' 'lbrsnoop -e ENOENT,EHWPOISON '
	becomes "an errno of why" 'lbrsnoop why --errno=EHWPO' 'lbrsnoop why --errno=EHWPOISON '
	bad=$(offered 'lbrsnoop decode --cpu ' | while read -r model; do
		./lbrsnoop decode --cpu "$model" --list-models >/dev/null 2>&1 || echo "$model"
	done)
	if [ -z "$bad" ] && offered 'lbrsnoop decode --cpu ' | grep -q -x skylake; then
		ok "$shell: CPUs"
	else
		not_ok "$shell: CPUs"
		comment "not taken: $bad"
	fi
	bad=$(offered 'lbrsnoop decode --format ' | while read -r format; do
		./lbrsnoop decode --format "$format" --list-models >/dev/null 2>&1 || echo "$format"
	done)
	if [ -z "$bad" ] && [ "$(offered 'lbrsnoop decode --format ' | wc -l)" = 9 ]; then
		ok "$shell: formats"
	else
		not_ok "$shell: formats"
		comment "not taken: $bad"
	fi

	becomes "a preset" 'lbrsnoop preset:wa' 'lbrsnoop preset:warn '
	becomes "an event" 'lbrsnoop perf:page-' 'lbrsnoop perf:page-faults '
	becomes "functions" 'lbrsnoop vfs_o' 'lbrsnoop vfs_o'
	becomes "a function by a trigger" 'lbrsnoop kretprobe:do_sys_openat' 'lbrsnoop kretprobe:do_sys_openat2 '
	becomes "a function to list" 'lbrsnoop list do_sys_openat' 'lbrsnoop list do_sys_openat2 '
	becomes "a tracepoint" 'lbrsnoop tracepoint:sched:' 'lbrsnoop tracepoint:sched:sched_switch '
	becomes "a file" 'lbrsnoop report on' 'lbrsnoop report one.lbr '
	becomes "a capture to compare" 'lbrsnoop compare on' 'lbrsnoop compare one.lbr '
	becomes "functions to compare" 'lbrsnoop compare vfs_o' 'lbrsnoop compare vfs_o'
	becomes "a file behind =" 'lbrsnoop --record=on' 'lbrsnoop --record=one.lbr '
	becomes "a program" "lbrsnoop uprobe:$scratch/files/on" "lbrsnoop uprobe:$scratch/files/one.lbr "
	becomes "no target of doctor" 'lbrsnoop doctor ' 'lbrsnoop doctor '
	becomes "a task's name is quoted" 'lbrsnoop -c hi' 'lbrsnoop -c hi\$\(x\) '
done
shell=bash becomes "functions, as far as they agree" 'lbrsnoop vfs_o' 'lbrsnoop vfs_o'
if [ -e "$scratch/obeyed" ]; then
	not_ok "no name is obeyed"
else
	ok "no name is obeyed"
fi
finish
