// SPDX-License-Identifier: GPL-2.0
/* ptrace, and prctl: what the other arguments are depends on the first. */
#include "syscall/args.h"

#include <inttypes.h>

#include <linux/prctl.h>
#include <linux/ptrace.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <asm/prctl.h>
#include <asm/ptrace-abi.h>

#include "syscall/newer.h"

/* linux/ptrace.h, asm/ptrace-abi.h */
static const struct constant requests_rows[] = {
	CONSTANT(PTRACE_TRACEME),
	CONSTANT(PTRACE_PEEKTEXT),
	CONSTANT(PTRACE_PEEKDATA),
	{PTRACE_PEEKUSR, "PTRACE_PEEKUSER"},
	CONSTANT(PTRACE_POKETEXT),
	CONSTANT(PTRACE_POKEDATA),
	{PTRACE_POKEUSR, "PTRACE_POKEUSER"},
	CONSTANT(PTRACE_CONT),
	CONSTANT(PTRACE_KILL),
	CONSTANT(PTRACE_SINGLESTEP),
	CONSTANT(PTRACE_GETREGS),
	CONSTANT(PTRACE_SETREGS),
	CONSTANT(PTRACE_GETFPREGS),
	CONSTANT(PTRACE_SETFPREGS),
	CONSTANT(PTRACE_ATTACH),
	CONSTANT(PTRACE_DETACH),
	CONSTANT(PTRACE_GETFPXREGS),
	CONSTANT(PTRACE_SETFPXREGS),
	CONSTANT(PTRACE_OLDSETOPTIONS),
	CONSTANT(PTRACE_SYSCALL),
	CONSTANT(PTRACE_GET_THREAD_AREA),
	CONSTANT(PTRACE_SET_THREAD_AREA),
	CONSTANT(PTRACE_ARCH_PRCTL),
	CONSTANT(PTRACE_SYSEMU),
	CONSTANT(PTRACE_SYSEMU_SINGLESTEP),
	CONSTANT(PTRACE_SINGLEBLOCK),
	CONSTANT(PTRACE_SETOPTIONS),
	CONSTANT(PTRACE_GETEVENTMSG),
	CONSTANT(PTRACE_GETSIGINFO),
	CONSTANT(PTRACE_SETSIGINFO),
	CONSTANT(PTRACE_GETREGSET),
	CONSTANT(PTRACE_SETREGSET),
	CONSTANT(PTRACE_SEIZE),
	CONSTANT(PTRACE_INTERRUPT),
	CONSTANT(PTRACE_LISTEN),
	CONSTANT(PTRACE_PEEKSIGINFO),
	CONSTANT(PTRACE_GETSIGMASK),
	CONSTANT(PTRACE_SETSIGMASK),
	CONSTANT(PTRACE_SECCOMP_GET_FILTER),
	CONSTANT(PTRACE_SECCOMP_GET_METADATA),
	CONSTANT(PTRACE_GET_SYSCALL_INFO),
	CONSTANT(PTRACE_GET_RSEQ_CONFIGURATION),
	CONSTANT(PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG),
	CONSTANT(PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG),
	CONSTANT(PTRACE_SET_SYSCALL_INFO),
};
static const struct constants requests = CONSTANTS(requests_rows, "PTRACE_???");

/* linux/ptrace.h */
static const struct constant trace_options_rows[] = {
	CONSTANT(PTRACE_O_TRACESYSGOOD), CONSTANT(PTRACE_O_TRACEFORK),
	CONSTANT(PTRACE_O_TRACEVFORK),	 CONSTANT(PTRACE_O_TRACECLONE),
	CONSTANT(PTRACE_O_TRACEEXEC),	 CONSTANT(PTRACE_O_TRACEVFORKDONE),
	CONSTANT(PTRACE_O_TRACEEXIT),	 CONSTANT(PTRACE_O_TRACESECCOMP),
	CONSTANT(PTRACE_O_EXITKILL),	 CONSTANT(PTRACE_O_SUSPEND_SECCOMP),
};
static const struct constants trace_options = CONSTANTS(trace_options_rows, "PTRACE_O_???");

/* linux/prctl.h */
static const struct constant options_rows[] = {
	CONSTANT(PR_SET_PDEATHSIG),
	CONSTANT(PR_GET_PDEATHSIG),
	CONSTANT(PR_GET_DUMPABLE),
	CONSTANT(PR_SET_DUMPABLE),
	CONSTANT(PR_GET_UNALIGN),
	CONSTANT(PR_SET_UNALIGN),
	CONSTANT(PR_GET_KEEPCAPS),
	CONSTANT(PR_SET_KEEPCAPS),
	CONSTANT(PR_GET_FPEMU),
	CONSTANT(PR_SET_FPEMU),
	CONSTANT(PR_GET_FPEXC),
	CONSTANT(PR_SET_FPEXC),
	CONSTANT(PR_GET_TIMING),
	CONSTANT(PR_SET_TIMING),
	CONSTANT(PR_SET_NAME),
	CONSTANT(PR_GET_NAME),
	CONSTANT(PR_GET_ENDIAN),
	CONSTANT(PR_SET_ENDIAN),
	CONSTANT(PR_GET_SECCOMP),
	CONSTANT(PR_SET_SECCOMP),
	CONSTANT(PR_CAPBSET_READ),
	CONSTANT(PR_CAPBSET_DROP),
	CONSTANT(PR_GET_TSC),
	CONSTANT(PR_SET_TSC),
	CONSTANT(PR_GET_SECUREBITS),
	CONSTANT(PR_SET_SECUREBITS),
	CONSTANT(PR_SET_TIMERSLACK),
	CONSTANT(PR_GET_TIMERSLACK),
	CONSTANT(PR_TASK_PERF_EVENTS_DISABLE),
	CONSTANT(PR_TASK_PERF_EVENTS_ENABLE),
	CONSTANT(PR_MCE_KILL),
	CONSTANT(PR_MCE_KILL_GET),
	CONSTANT(PR_SET_MM),
	CONSTANT(PR_SET_CHILD_SUBREAPER),
	CONSTANT(PR_GET_CHILD_SUBREAPER),
	CONSTANT(PR_SET_NO_NEW_PRIVS),
	CONSTANT(PR_GET_NO_NEW_PRIVS),
	CONSTANT(PR_GET_TID_ADDRESS),
	CONSTANT(PR_SET_THP_DISABLE),
	CONSTANT(PR_GET_THP_DISABLE),
	CONSTANT(PR_MPX_ENABLE_MANAGEMENT),
	CONSTANT(PR_MPX_DISABLE_MANAGEMENT),
	CONSTANT(PR_SET_FP_MODE),
	CONSTANT(PR_GET_FP_MODE),
	CONSTANT(PR_CAP_AMBIENT),
	CONSTANT(PR_SVE_SET_VL),
	CONSTANT(PR_SVE_GET_VL),
	CONSTANT(PR_GET_SPECULATION_CTRL),
	CONSTANT(PR_SET_SPECULATION_CTRL),
	CONSTANT(PR_PAC_RESET_KEYS),
	CONSTANT(PR_SET_TAGGED_ADDR_CTRL),
	CONSTANT(PR_GET_TAGGED_ADDR_CTRL),
	CONSTANT(PR_SET_IO_FLUSHER),
	CONSTANT(PR_GET_IO_FLUSHER),
	CONSTANT(PR_SET_SYSCALL_USER_DISPATCH),
	CONSTANT(PR_PAC_SET_ENABLED_KEYS),
	CONSTANT(PR_PAC_GET_ENABLED_KEYS),
	CONSTANT(PR_SCHED_CORE),
	CONSTANT(PR_SME_SET_VL),
	CONSTANT(PR_SME_GET_VL),
	CONSTANT(PR_SET_MDWE),
	CONSTANT(PR_GET_MDWE),
	CONSTANT(PR_SET_MEMORY_MERGE),
	CONSTANT(PR_GET_MEMORY_MERGE),
	{75, "PR_SET_SHADOW_STACK_STATUS"},
	{74, "PR_GET_SHADOW_STACK_STATUS"},
	{76, "PR_LOCK_SHADOW_STACK_STATUS"},
	{77, "PR_TIMER_CREATE_RESTORE_IDS"},
	{78, "PR_FUTEX_HASH"},
	CONSTANT(PR_SET_PTRACER),
	CONSTANT(PR_SET_VMA),
};
static const struct constants options = CONSTANTS(options_rows, "PR_???");

/* include/linux/sched/coredump.h */
static const struct constant dumpable_rows[] = {
	{0, "SUID_DUMP_DISABLE"},
	{1, "SUID_DUMP_USER"},
	{2, "SUID_DUMP_ROOT"},
};
static const struct constants dumpable = CONSTANTS(dumpable_rows, "SUID_DUMP_???");

/* linux/seccomp.h */
static const struct constant seccomp_modes_rows[] = {
	CONSTANT(SECCOMP_MODE_DISABLED),
	CONSTANT(SECCOMP_MODE_STRICT),
	CONSTANT(SECCOMP_MODE_FILTER),
};
static const struct constants seccomp_modes = CONSTANTS(seccomp_modes_rows, "SECCOMP_MODE_???");

/* linux/prctl.h */
static const struct constant tsc_modes_rows[] = {
	CONSTANT(PR_TSC_ENABLE),
	CONSTANT(PR_TSC_SIGSEGV),
};
static const struct constants tsc_modes = CONSTANTS(tsc_modes_rows, "PR_TSC_???");

/* linux/securebits.h */
static const struct constant secure_bits_rows[] = {
	CONSTANT(SECBIT_NOROOT),
	CONSTANT(SECBIT_NOROOT_LOCKED),
	CONSTANT(SECBIT_NO_SETUID_FIXUP),
	CONSTANT(SECBIT_NO_SETUID_FIXUP_LOCKED),
	CONSTANT(SECBIT_KEEP_CAPS),
	CONSTANT(SECBIT_KEEP_CAPS_LOCKED),
	CONSTANT(SECBIT_NO_CAP_AMBIENT_RAISE),
	CONSTANT(SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED),
	CONSTANT(SECBIT_EXEC_RESTRICT_FILE),
	CONSTANT(SECBIT_EXEC_RESTRICT_FILE_LOCKED),
	CONSTANT(SECBIT_EXEC_DENY_INTERACTIVE),
	CONSTANT(SECBIT_EXEC_DENY_INTERACTIVE_LOCKED),
};
static const struct constants secure_bits = CONSTANTS(secure_bits_rows, "SECBIT_???");

/* linux/prctl.h */
static const struct constant ambient_ops_rows[] = {
	CONSTANT(PR_CAP_AMBIENT_IS_SET),
	CONSTANT(PR_CAP_AMBIENT_RAISE),
	CONSTANT(PR_CAP_AMBIENT_LOWER),
	CONSTANT(PR_CAP_AMBIENT_CLEAR_ALL),
};
static const struct constants ambient_ops = CONSTANTS(ambient_ops_rows, "PR_CAP_AMBIENT_???");

/* linux/prctl.h */
static const struct constant speculations_rows[] = {
	CONSTANT(PR_SPEC_STORE_BYPASS),
	CONSTANT(PR_SPEC_INDIRECT_BRANCH),
	CONSTANT(PR_SPEC_L1D_FLUSH),
};
static const struct constants speculations = CONSTANTS(speculations_rows, "PR_SPEC_???");

/* linux/prctl.h */
static const struct constant speculation_modes_rows[] = {
	CONSTANT(PR_SPEC_PRCTL),	  CONSTANT(PR_SPEC_ENABLE),
	CONSTANT(PR_SPEC_DISABLE),	  CONSTANT(PR_SPEC_FORCE_DISABLE),
	CONSTANT(PR_SPEC_DISABLE_NOEXEC),
};
static const struct constants speculation_modes = CONSTANTS(speculation_modes_rows, "PR_SPEC_???");

/* linux/prctl.h */
static const struct constant vma_ops_rows[] = {
	CONSTANT(PR_SET_VMA_ANON_NAME),
};
static const struct constants vma_ops = CONSTANTS(vma_ops_rows, "PR_SET_VMA_???");

/* linux/prctl.h */
static const struct constant mm_ops_rows[] = {
	CONSTANT(PR_SET_MM_START_CODE),	 CONSTANT(PR_SET_MM_END_CODE),
	CONSTANT(PR_SET_MM_START_DATA),	 CONSTANT(PR_SET_MM_END_DATA),
	CONSTANT(PR_SET_MM_START_STACK), CONSTANT(PR_SET_MM_START_BRK),
	CONSTANT(PR_SET_MM_BRK),	 CONSTANT(PR_SET_MM_ARG_START),
	CONSTANT(PR_SET_MM_ARG_END),	 CONSTANT(PR_SET_MM_ENV_START),
	CONSTANT(PR_SET_MM_ENV_END),	 CONSTANT(PR_SET_MM_AUXV),
	CONSTANT(PR_SET_MM_EXE_FILE),	 CONSTANT(PR_SET_MM_MAP),
	CONSTANT(PR_SET_MM_MAP_SIZE),
};
static const struct constants mm_ops = CONSTANTS(mm_ops_rows, "PR_SET_MM_???");

/* linux/prctl.h */
static const struct constant mce_ops_rows[] = {
	CONSTANT(PR_MCE_KILL_CLEAR),
	CONSTANT(PR_MCE_KILL_SET),
};
static const struct constants mce_ops = CONSTANTS(mce_ops_rows, "PR_MCE_KILL_???");

/* linux/prctl.h */
static const struct constant mce_policies_rows[] = {
	CONSTANT(PR_MCE_KILL_LATE),
	CONSTANT(PR_MCE_KILL_EARLY),
	CONSTANT(PR_MCE_KILL_DEFAULT),
};
static const struct constants mce_policies = CONSTANTS(mce_policies_rows, "PR_MCE_KILL_???");

/* linux/prctl.h */
static const struct constant dispatch_modes_rows[] = {
	CONSTANT(PR_SYS_DISPATCH_OFF),
	CONSTANT(PR_SYS_DISPATCH_ON),
};
static const struct constants dispatch_modes =
	CONSTANTS(dispatch_modes_rows, "PR_SYS_DISPATCH_???");

/* linux/prctl.h */
static const struct constant core_ops_rows[] = {
	CONSTANT(PR_SCHED_CORE_GET),
	CONSTANT(PR_SCHED_CORE_CREATE),
	CONSTANT(PR_SCHED_CORE_SHARE_TO),
	CONSTANT(PR_SCHED_CORE_SHARE_FROM),
};
static const struct constants core_ops = CONSTANTS(core_ops_rows, "PR_SCHED_CORE_???");

/* asm/prctl.h */
static const struct constant arch_codes_rows[] = {
	CONSTANT(ARCH_SET_GS),
	CONSTANT(ARCH_SET_FS),
	CONSTANT(ARCH_GET_FS),
	CONSTANT(ARCH_GET_GS),
	CONSTANT(ARCH_GET_CPUID),
	CONSTANT(ARCH_SET_CPUID),
	CONSTANT(ARCH_GET_XCOMP_SUPP),
	CONSTANT(ARCH_GET_XCOMP_PERM),
	CONSTANT(ARCH_REQ_XCOMP_PERM),
	CONSTANT(ARCH_GET_XCOMP_GUEST_PERM),
	CONSTANT(ARCH_REQ_XCOMP_GUEST_PERM),
	CONSTANT(ARCH_MAP_VDSO_X32),
	CONSTANT(ARCH_MAP_VDSO_32),
	CONSTANT(ARCH_MAP_VDSO_64),
	CONSTANT(ARCH_SHSTK_ENABLE),
	CONSTANT(ARCH_SHSTK_DISABLE),
	CONSTANT(ARCH_SHSTK_LOCK),
	CONSTANT(ARCH_SHSTK_UNLOCK),
	CONSTANT(ARCH_SHSTK_STATUS),
};
static const struct constants arch_codes = CONSTANTS(arch_codes_rows, "ARCH_???");

/* Requests that take no address, or that take a signal behind it; of all others both are written.
 */
static void print_ptrace_pid(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	if (p->call->args[0] != PTRACE_TRACEME)
		print_arg_int(p, arg, type);
}

static void print_ptrace_address(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	switch (p->call->args[0]) {
	case PTRACE_TRACEME:
	case PTRACE_ATTACH:
	case PTRACE_KILL:
	case PTRACE_INTERRUPT:
	case PTRACE_LISTEN:
	case PTRACE_GETREGS:
	case PTRACE_SETREGS:
	case PTRACE_GETFPREGS:
	case PTRACE_SETFPREGS:
		break;
	case PTRACE_GETSIGMASK:
	case PTRACE_SETSIGMASK:
	case PTRACE_SECCOMP_GET_FILTER:
	case PTRACE_SECCOMP_GET_METADATA:
	case PTRACE_GET_SYSCALL_INFO:
		arg_size.print(p, arg, &arg_size);
		break;
	case PTRACE_GETREGSET:
	case PTRACE_SETREGSET:
	case PTRACE_PEEKUSR:
	case PTRACE_POKEUSR:
		arg_hex.print(p, arg, &arg_hex);
		break;
	default:
		print_arg_address(p, arg, type);
	}
}

static void print_ptrace_data(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	switch (p->call->args[0]) {
	case PTRACE_TRACEME:
	case PTRACE_ATTACH:
	case PTRACE_KILL:
	case PTRACE_INTERRUPT:
	case PTRACE_LISTEN:
		break;
	case PTRACE_SETOPTIONS:
	case PTRACE_OLDSETOPTIONS:
	case PTRACE_SEIZE:
		print_flags(p, p->call->args[arg], &trace_options);
		break;
	case PTRACE_CONT:
	case PTRACE_DETACH:
	case PTRACE_SYSCALL:
	case PTRACE_SINGLESTEP:
	case PTRACE_SYSEMU:
	case PTRACE_SYSEMU_SINGLESTEP:
	case PTRACE_SINGLEBLOCK:
		print_signal(p, (int)p->call->args[arg]);
		break;
	default:
		print_arg_address(p, arg, type);
	}
}

static void print_seccomp_filter(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	if (p->call->args[arg - 1] == SECCOMP_MODE_FILTER)
		print_filter(p, arg);
}

static void print_ambient_cap(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	switch (p->call->args[arg - 1]) {
	case PR_CAP_AMBIENT_IS_SET:
	case PR_CAP_AMBIENT_RAISE:
	case PR_CAP_AMBIENT_LOWER:
		arg_capability.print(p, arg, &arg_capability);
		break;
	default:
		arg_hex.print(p, arg, &arg_hex);
	}
}

static void print_ptracer(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	if ((int)p->call->args[arg] == -1)
		print_text(p, "PR_SET_PTRACER_ANY");
	else
		print_arg_int(p, arg, type);
}

static const struct arg_type dumpable_mode = ARG_CHOICE(dumpable);
static const struct arg_type seccomp_mode = ARG_CHOICE(seccomp_modes);
static const struct arg_type seccomp_filter = {.print = print_seccomp_filter};
static const struct arg_type tsc_mode = ARG_CHOICE(tsc_modes);
static const struct arg_type secure_flags = ARG_FLAGS(secure_bits);
static const struct arg_type ambient_op = ARG_CHOICE(ambient_ops);
static const struct arg_type ambient_cap = {.print = print_ambient_cap};
static const struct arg_type speculation = ARG_CHOICE(speculations);
static const struct arg_type speculation_mode = ARG_FLAGS(speculation_modes);
static const struct arg_type vma_op = ARG_CHOICE(vma_ops);
static const struct arg_type mm_op = ARG_CHOICE(mm_ops);
static const struct arg_type mce_op = ARG_CHOICE(mce_ops);
static const struct arg_type mce_policy = ARG_CHOICE(mce_policies);
static const struct arg_type dispatch_mode = ARG_CHOICE(dispatch_modes);
static const struct arg_type core_op = ARG_CHOICE(core_ops);
static const struct arg_type ptracer = {.print = print_ptracer};

/* What an option takes; one that is not here, four numbers. linux/prctl.h, prctl(2) */
static const struct {
	uint32_t option;
	const struct arg_type *args[4];
} prctl_args[] = {
	{PR_SET_PDEATHSIG, {&arg_signal}},
	{PR_GET_PDEATHSIG, {&arg_output}},
	{PR_GET_DUMPABLE, {NULL}},
	{PR_SET_DUMPABLE, {&dumpable_mode}},
	{PR_GET_UNALIGN, {&arg_output}},
	{PR_GET_KEEPCAPS, {NULL}},
	{PR_SET_KEEPCAPS, {&arg_uint}},
	{PR_GET_FPEMU, {&arg_output}},
	{PR_SET_FPEMU, {&arg_uint}},
	{PR_GET_FPEXC, {&arg_output}},
	{PR_SET_FPEXC, {&arg_uint}},
	{PR_GET_TIMING, {NULL}},
	{PR_SET_TIMING, {&arg_uint}},
	{PR_SET_NAME, {&arg_string}},
	{PR_GET_NAME, {&arg_output}},
	{PR_GET_ENDIAN, {&arg_output}},
	{PR_SET_ENDIAN, {&arg_uint}},
	{PR_GET_SECCOMP, {NULL}},
	{PR_SET_SECCOMP, {&seccomp_mode, &seccomp_filter}},
	{PR_CAPBSET_READ, {&arg_capability}},
	{PR_CAPBSET_DROP, {&arg_capability}},
	{PR_GET_TSC, {&arg_output}},
	{PR_SET_TSC, {&tsc_mode}},
	{PR_GET_SECUREBITS, {NULL}},
	{PR_SET_SECUREBITS, {&secure_flags}},
	{PR_SET_TIMERSLACK, {&arg_uint}},
	{PR_GET_TIMERSLACK, {NULL}},
	{PR_TASK_PERF_EVENTS_DISABLE, {NULL}},
	{PR_TASK_PERF_EVENTS_ENABLE, {NULL}},
	{PR_MCE_KILL, {&mce_op, &mce_policy, &arg_hex, &arg_hex}},
	{PR_SET_MM, {&mm_op, &arg_hex, &arg_hex, &arg_hex}},
	{PR_SET_CHILD_SUBREAPER, {&arg_uint}},
	{PR_GET_CHILD_SUBREAPER, {&arg_output}},
	{PR_SET_NO_NEW_PRIVS, {&arg_uint, &arg_hex, &arg_hex, &arg_hex}},
	{PR_GET_TID_ADDRESS, {&arg_output}},
	{PR_SET_THP_DISABLE, {&arg_uint, &arg_hex, &arg_hex, &arg_hex}},
	{PR_GET_FP_MODE, {NULL}},
	{PR_CAP_AMBIENT, {&ambient_op, &ambient_cap, &arg_hex, &arg_hex}},
	{PR_SVE_SET_VL, {&arg_hex}},
	{PR_SVE_GET_VL, {NULL}},
	{PR_GET_SPECULATION_CTRL, {&speculation}},
	{PR_SET_SPECULATION_CTRL, {&speculation, &speculation_mode}},
	{PR_SET_IO_FLUSHER, {&arg_uint, &arg_hex, &arg_hex, &arg_hex}},
	{PR_SET_SYSCALL_USER_DISPATCH, {&dispatch_mode, &arg_hex, &arg_hex, &arg_hex}},
	{PR_SCHED_CORE, {&core_op, &arg_int, &arg_hex, &arg_hex}},
	{PR_SME_SET_VL, {&arg_hex}},
	{PR_SME_GET_VL, {NULL}},
	{PR_SET_PTRACER, {&ptracer}},
	{PR_SET_VMA, {&vma_op, &arg_address, &arg_size, &arg_string}},
};

static void print_prctl_arg(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const struct arg_type *option = &arg_hex;

	(void)type;
	for (size_t i = 0; i < sizeof(prctl_args) / sizeof(prctl_args[0]); i++)
		if (prctl_args[i].option == (uint32_t)p->call->args[0])
			option = prctl_args[i].args[arg - 1];
	if (option)
		option->print(p, arg, option);
}

static void print_arch_arg(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	switch (p->call->args[0]) {
	case ARCH_GET_CPUID:
		break;
	case ARCH_SET_CPUID:
	case ARCH_SET_FS:
	case ARCH_SET_GS:
	case ARCH_GET_FS:
	case ARCH_GET_GS:
		print_arg_address(p, arg, type);
		break;
	default:
		arg_hex.print(p, arg, &arg_hex);
	}
}

const struct arg_type arg_ptrace_request = ARG_CHOICE(requests);
const struct arg_type arg_ptrace_pid = {.print = print_ptrace_pid};
const struct arg_type arg_ptrace_address = {.print = print_ptrace_address};
const struct arg_type arg_ptrace_data = {.print = print_ptrace_data};
const struct arg_type arg_prctl_option = ARG_CHOICE(options);
/* A name; the second of PR_SET_SECCOMP is a struct sock_fprog. */
const struct arg_type arg_prctl_2 = {
	.print = print_prctl_arg, .kind = SYSCALL_READ_STRING, .max = SYSCALL_BYTES_MAX};
const struct arg_type arg_prctl_3 = ARG_STRUCT(print_prctl_arg, 16);
const struct arg_type arg_prctl_4 = {.print = print_prctl_arg};
const struct arg_type arg_prctl_5 = {
	.print = print_prctl_arg, .kind = SYSCALL_READ_STRING, .max = SYSCALL_BYTES_MAX};
const struct arg_type arg_arch_prctl_code = ARG_CHOICE(arch_codes);
const struct arg_type arg_arch_prctl_arg = {.print = print_arch_arg};
