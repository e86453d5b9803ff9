# shellcheck shell=bash
# bash completion for lbrsnoop
#
# Commands and options are those that the program's own help has; tests/cli/test_completion.sh holds
# the values of this file against what the program takes.

# _lbrsnoop_help PROGRAM COMMAND: a line "-c --comm NAME" each; "-" where there is no short name,
# or no value; "[DIR]" for a value that may be left out
_lbrsnoop_help() {
	ARGP_HELP_FMT='' "$1" help "$2" 2>/dev/null | sed -n -E \
		-e 's/^  (-[^-]), (--[a-z-]+)(\[?=?([^] ]*)\]?)?( .*|$)/\1 \2 \3/p' \
		-e 's/^      (--[a-z-]+)(\[?=?([^] ]*)\]?)?( .*|$)/- \1 \2/p' |
		sed -E 's/\[=/[/; s/=//; s/ $/ -/'
}

# _lbrsnoop_lists PROGRAM PREFIX: word behind "list" that tells the targets of a kind; PREFIX "": all words
_lbrsnoop_lists() {
	"$1" list targets 2>/dev/null | awk -F '\t' -v prefix="$2" '$4 != "" && (prefix == "" || $1 == prefix) { print $4 }'
}

# _lbrsnoop_targets PROGRAM WORD: what begins with WORD, as far as there is not too much of it
_lbrsnoop_targets() {
	local program=$1 word=$2 rest kind list=
	[[ $word != *:* ]] || list=$(_lbrsnoop_lists "$program" "${word%%:*}:")
	if [ -n "$list" ]; then
		"$program" list "$list" 2>/dev/null | cut -f 1
		[ "$list" != presets ] || echo preset:all
		return
	fi
	case $word in
	tracepoint:*:*) "$program" list "$word*" 2>/dev/null | cut -f 1 ;;
	tracepoint:*) "$program" list "$word*:*" 2>/dev/null | cut -f 1 | cut -d : -f 1,2 | sort -u | sed 's/$/:/' ;;
	uprobe:* | uretprobe:*) compgen -f -P "${word%%:*}:" -- "${word#*:}" ;;
	fentry:* | fexit:* | hw:* | kprobe:* | kretprobe:* | kprobe.multi:*)
		kind=${word%%:*}
		rest=${word#*:}
		[ ${#rest} -lt 2 ] || "$program" list "$rest*" 2>/dev/null |
			sed -n "/^tracepoint:/d; s/^\([^	]*\)	.*/$kind:\1/p"
		;;
	*)
		"$program" list targets 2>/dev/null | cut -f 1 | grep .
		[ ${#word} -lt 2 ] || "$program" list "$word*" 2>/dev/null | sed '/^tracepoint:/d' | cut -f 1
		;;
	esac
}

# _lbrsnoop_values PROGRAM COMMAND OPTION METAVARIABLE: what OPTION takes, a line each;
# "@files", "@directories" instead. "@list" goes before what may be joined by commas.
_lbrsnoop_values() {
	case $2:$3 in
	*:--errno) echo @list && echo any && echo none && "$1" list errnos 2>/dev/null | cut -f 1 ;;
	*:--branch-filter | trace:--branches | record:--branches)
		printf '%s\n' @list any any_call any_ret ind_call ind_jmp call cond call_stack in_tx no_tx abort_tx u k
		;;
	*:--trigger) printf '%s\n' auto hw fexit kretprobe kprobe.multi ;;
	*:--at) printf '%s\n' errno return ;;
	*:--color) printf '%s\n' auto always never ;;
	decode:--cpu) "$1" decode --list-models 2>/dev/null | sed -n '1d; s/^\([^	 ]*\) .*/\1/p' ;;
	decode:--input) printf '%s\n' auto text csv json records block ;;
	decode:--format) printf '%s\n' 0 1 2 3 4 5 6 7 3f ;;
	*:--pid) ps -A -o pid= 2>/dev/null | tr -d ' ' ;;
	# Who names a task chooses the characters: quoted, so that none of them is obeyed.
	*:--comm) ps -A -o comm= 2>/dev/null | sort -u | while IFS= read -r line; do printf '%q\n' "$line"; done ;;
	*:--unit) systemctl list-units --plain --no-legend 2>/dev/null | cut -d ' ' -f 1 ;;
	*:--cgroup) echo @directories ;;
	*) case $4 in
		*FILE*) echo @files ;;
		*DIR*) echo @directories ;;
		esac ;;
	esac
}

_lbrsnoop() {
	local line=${COMP_LINE:0:COMP_POINT} word prefix='' program command=trace option='' metavariable='' help
	local words values kind IFS=$' \t\n'
	COMPREPLY=()
	# The words of bash are broken at : and =, which targets and options have in them.
	word=${line##*[[:space:]]}
	read -r -a words <<<"${line%"$word"}"
	program=${words[0]}
	# shellcheck disable=SC2088 # expanded by hand, because it is not by reading
	[[ $program != '~/'* ]] || program=$HOME/${program#??}
	values=$("$program" help 2>/dev/null | sed -n -E 's/^lbrsnoop \[?([a-z]+)\]? .*/\1/p')
	for kind in $values; do
		[ "${words[1]:-}" != "$kind" ] || command=$kind
	done
	# Behind --, as anywhere.
	for kind in "${!words[@]}"; do
		if [ "${words[kind]}" = -- ] && [[ $command =~ ^(trace|record|why|compare)$ ]]; then
			if declare -F _command_offset >/dev/null; then
				_command_offset $((kind + 1))
			elif [ $((kind + 1)) = ${#words[@]} ]; then
				mapfile -t COMPREPLY < <(compgen -c -- "$word")
			else
				compopt -o filenames 2>/dev/null
				mapfile -t COMPREPLY < <(compgen -f -- "$word")
			fi
			return
		fi
	done
	help=$(_lbrsnoop_help "$program" "$command")

	if [[ $word == --*=* ]]; then
		option=${word%%=*}
		prefix=$option=
		metavariable=$(awk -v o="$option" '$2 == o { print $3 }' <<<"$help")
	elif [[ ${words[-1]} == -* ]]; then
		# A value that may be left out is not the next word.
		read -r option metavariable < <(awk -v o="${words[-1]}" \
			'$1 == o || $2 == o { print $2, $3 ~ /^\[/ ? "-" : $3 }' <<<"$help")
	fi
	if [ -n "$option" ] && [ "${metavariable:--}" != - ]; then
		values=$(_lbrsnoop_values "$program" "$command" "$option" "$metavariable")
		if [[ $values == @list* ]]; then
			values=${values#@list}
			[[ ${word#"$prefix"} != *,* ]] || prefix=${word%,*},
		fi
	elif [[ $word == -* ]]; then
		values=$(awk '{
			if ($1 != "-")
				print $1
			print $2 ($3 ~ /^[^[-]/ ? "=" : "")
		}' <<<"$help")
	else
		case $command in
		trace | record) values=$(_lbrsnoop_targets "$program" "$word") ;;
		list) values=$(printf '%s\n' targets errnos && _lbrsnoop_lists "$program" '' && _lbrsnoop_targets "$program" "$word") ;;
		# Of capture files a name ends in .lbr or has a directory; else it is a function.
		compare)
			values=@files
			[[ $word == */* || -z $word ]] || compgen -f -- "$word" >/dev/null ||
				values=$(_lbrsnoop_targets "$program" "$word")
			;;
		report | postmortem | decode | watch) values=@files ;;
		*) values= ;;
		esac
		[ ${#words[@]} -gt 1 ] || values+=$'\n'$("$program" help 2>/dev/null |
			sed -n -E 's/^lbrsnoop \[?([a-z]+)\]? .*/\1/p')$'\n'help
		[ "${words[1]:-}" != help ] || values=$("$program" help 2>/dev/null |
			sed -n -E 's/^lbrsnoop \[?([a-z]+)\]? .*/\1/p')
	fi

	case $values in
	@files | @directories)
		compopt -o filenames 2>/dev/null
		kind=-f
		[ "$values" != @directories ] || kind=-d
		mapfile -t COMPREPLY < <(compgen "$kind" -- "${word#"$prefix"}")
		[[ $prefix == --*= && $COMP_WORDBREAKS != *=* ]] || prefix=
		COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
		;;
	*)
		# Not compgen -W, which would expand what stands in a name.
		mapfile -t COMPREPLY < <(while read -r kind; do
			[[ -z $kind || $prefix$kind != "$word"* ]] || printf '%s\n' "$prefix$kind"
		done <<<"$values")
		[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *[=:] ]] || compopt -o nospace 2>/dev/null
		# What bash takes for the word begins behind its last break.
		prefix=
		[[ $COMP_WORDBREAKS != *=* ]] || prefix=${word%"${word##*=}"}
		kind=
		[[ $COMP_WORDBREAKS != *:* ]] || kind=${word%"${word##*:}"}
		[ ${#kind} -le ${#prefix} ] || prefix=$kind
		COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
		;;
	esac
}
complete -F _lbrsnoop lbrsnoop
