// SPDX-License-Identifier: GPL-2.0
/* Futexes, keys, modules, and what else concerns the kernel as a whole. */
#include "syscall/args.h"

#include <inttypes.h>
#include <string.h>

#include <linux/bpf.h>
#include <linux/fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/kexec.h>
#include <linux/keyctl.h>
#include <linux/module.h>
#include <linux/mqueue.h>
#include <linux/random.h>
#include <linux/reboot.h>

#include "util/errno_name.h"
#include "syscall/newer.h"

/* linux/futex.h */
static const struct constant futex_ops_rows[] = {
	CONSTANT(FUTEX_WAIT),
	CONSTANT(FUTEX_WAKE),
	CONSTANT(FUTEX_FD),
	CONSTANT(FUTEX_REQUEUE),
	CONSTANT(FUTEX_CMP_REQUEUE),
	CONSTANT(FUTEX_WAKE_OP),
	CONSTANT(FUTEX_LOCK_PI),
	CONSTANT(FUTEX_UNLOCK_PI),
	CONSTANT(FUTEX_TRYLOCK_PI),
	CONSTANT(FUTEX_WAIT_BITSET),
	CONSTANT(FUTEX_WAKE_BITSET),
	CONSTANT(FUTEX_WAIT_REQUEUE_PI),
	CONSTANT(FUTEX_CMP_REQUEUE_PI),
	CONSTANT(FUTEX_LOCK_PI2),
	CONSTANT(FUTEX_WAIT_PRIVATE),
	CONSTANT(FUTEX_WAKE_PRIVATE),
	CONSTANT(FUTEX_REQUEUE_PRIVATE),
	CONSTANT(FUTEX_CMP_REQUEUE_PRIVATE),
	CONSTANT(FUTEX_WAKE_OP_PRIVATE),
	CONSTANT(FUTEX_LOCK_PI_PRIVATE),
	CONSTANT(FUTEX_UNLOCK_PI_PRIVATE),
	CONSTANT(FUTEX_TRYLOCK_PI_PRIVATE),
	CONSTANT(FUTEX_WAIT_BITSET_PRIVATE),
	CONSTANT(FUTEX_WAKE_BITSET_PRIVATE),
	CONSTANT(FUTEX_WAIT_REQUEUE_PI_PRIVATE),
	CONSTANT(FUTEX_CMP_REQUEUE_PI_PRIVATE),
	CONSTANT(FUTEX_LOCK_PI2_PRIVATE),
};
static const struct constants futex_ops = CONSTANTS(futex_ops_rows, "FUTEX_???");

/* linux/futex.h */
static const struct constant futex_wake_ops_rows[] = {
	CONSTANT(FUTEX_OP_SET),	 CONSTANT(FUTEX_OP_ADD), CONSTANT(FUTEX_OP_OR),
	CONSTANT(FUTEX_OP_ANDN), CONSTANT(FUTEX_OP_XOR),
};
static const struct constants futex_wake_ops = CONSTANTS(futex_wake_ops_rows, "FUTEX_OP_???");

/* linux/futex.h */
static const struct constant futex_compares_rows[] = {
	CONSTANT(FUTEX_OP_CMP_EQ), CONSTANT(FUTEX_OP_CMP_NE), CONSTANT(FUTEX_OP_CMP_LT),
	CONSTANT(FUTEX_OP_CMP_LE), CONSTANT(FUTEX_OP_CMP_GT), CONSTANT(FUTEX_OP_CMP_GE),
};
static const struct constants futex_compares = CONSTANTS(futex_compares_rows, "FUTEX_OP_CMP_???");

/* linux/keyctl.h */
static const struct constant key_ops_rows[] = {
	CONSTANT(KEYCTL_GET_KEYRING_ID),
	CONSTANT(KEYCTL_JOIN_SESSION_KEYRING),
	CONSTANT(KEYCTL_UPDATE),
	CONSTANT(KEYCTL_REVOKE),
	CONSTANT(KEYCTL_CHOWN),
	CONSTANT(KEYCTL_SETPERM),
	CONSTANT(KEYCTL_DESCRIBE),
	CONSTANT(KEYCTL_CLEAR),
	CONSTANT(KEYCTL_LINK),
	CONSTANT(KEYCTL_UNLINK),
	CONSTANT(KEYCTL_SEARCH),
	CONSTANT(KEYCTL_READ),
	CONSTANT(KEYCTL_INSTANTIATE),
	CONSTANT(KEYCTL_NEGATE),
	CONSTANT(KEYCTL_SET_REQKEY_KEYRING),
	CONSTANT(KEYCTL_SET_TIMEOUT),
	CONSTANT(KEYCTL_ASSUME_AUTHORITY),
	CONSTANT(KEYCTL_GET_SECURITY),
	CONSTANT(KEYCTL_SESSION_TO_PARENT),
	CONSTANT(KEYCTL_REJECT),
	CONSTANT(KEYCTL_INSTANTIATE_IOV),
	CONSTANT(KEYCTL_INVALIDATE),
	CONSTANT(KEYCTL_GET_PERSISTENT),
	CONSTANT(KEYCTL_DH_COMPUTE),
	CONSTANT(KEYCTL_PKEY_QUERY),
	CONSTANT(KEYCTL_PKEY_ENCRYPT),
	CONSTANT(KEYCTL_PKEY_DECRYPT),
	CONSTANT(KEYCTL_PKEY_SIGN),
	CONSTANT(KEYCTL_PKEY_VERIFY),
	CONSTANT(KEYCTL_RESTRICT_KEYRING),
	CONSTANT(KEYCTL_MOVE),
	CONSTANT(KEYCTL_CAPABILITIES),
	CONSTANT(KEYCTL_WATCH_KEY),
};
static const struct constants key_ops = CONSTANTS(key_ops_rows, "KEYCTL_???");

/* linux/keyctl.h */
static const struct constant special_keys_rows[] = {
	CONSTANT(KEY_SPEC_THREAD_KEYRING),	 CONSTANT(KEY_SPEC_PROCESS_KEYRING),
	CONSTANT(KEY_SPEC_SESSION_KEYRING),	 CONSTANT(KEY_SPEC_USER_KEYRING),
	CONSTANT(KEY_SPEC_USER_SESSION_KEYRING), CONSTANT(KEY_SPEC_GROUP_KEYRING),
	CONSTANT(KEY_SPEC_REQKEY_AUTH_KEY),	 CONSTANT(KEY_SPEC_REQUESTOR_KEYRING),
};
static const struct constants special_keys = CONSTANTS(special_keys_rows, NULL);

/* include/linux/key.h */
static const struct constant key_permissions_rows[] = {
	{0x01000000, "KEY_POS_VIEW"},  {0x02000000, "KEY_POS_READ"},
	{0x04000000, "KEY_POS_WRITE"}, {0x08000000, "KEY_POS_SEARCH"},
	{0x10000000, "KEY_POS_LINK"},  {0x20000000, "KEY_POS_SETATTR"},
	{0x00010000, "KEY_USR_VIEW"},  {0x00020000, "KEY_USR_READ"},
	{0x00040000, "KEY_USR_WRITE"}, {0x00080000, "KEY_USR_SEARCH"},
	{0x00100000, "KEY_USR_LINK"},  {0x00200000, "KEY_USR_SETATTR"},
	{0x00000100, "KEY_GRP_VIEW"},  {0x00000200, "KEY_GRP_READ"},
	{0x00000400, "KEY_GRP_WRITE"}, {0x00000800, "KEY_GRP_SEARCH"},
	{0x00001000, "KEY_GRP_LINK"},  {0x00002000, "KEY_GRP_SETATTR"},
	{0x00000001, "KEY_OTH_VIEW"},  {0x00000002, "KEY_OTH_READ"},
	{0x00000004, "KEY_OTH_WRITE"}, {0x00000008, "KEY_OTH_SEARCH"},
	{0x00000010, "KEY_OTH_LINK"},  {0x00000020, "KEY_OTH_SETATTR"},
};
static const struct constants key_permissions = CONSTANTS(key_permissions_rows, "KEY_???");

/* linux/keyctl.h */
static const struct constant default_keyrings_rows[] = {
	{(uint32_t)KEY_REQKEY_DEFL_NO_CHANGE, "KEY_REQKEY_DEFL_NO_CHANGE"},
	CONSTANT(KEY_REQKEY_DEFL_DEFAULT),
	CONSTANT(KEY_REQKEY_DEFL_THREAD_KEYRING),
	CONSTANT(KEY_REQKEY_DEFL_PROCESS_KEYRING),
	CONSTANT(KEY_REQKEY_DEFL_SESSION_KEYRING),
	CONSTANT(KEY_REQKEY_DEFL_USER_KEYRING),
	CONSTANT(KEY_REQKEY_DEFL_USER_SESSION_KEYRING),
	CONSTANT(KEY_REQKEY_DEFL_GROUP_KEYRING),
	CONSTANT(KEY_REQKEY_DEFL_REQUESTOR_KEYRING),
};
static const struct constants default_keyrings =
	CONSTANTS(default_keyrings_rows, "KEY_REQKEY_DEFL_???");

/* linux/keyctl.h */
static const struct constant key_move_bits_rows[] = {
	CONSTANT(KEYCTL_MOVE_EXCL),
};
static const struct constants key_move_bits = CONSTANTS(key_move_bits_rows, "KEYCTL_MOVE_???");

/* linux/bpf.h */
static const struct constant bpf_commands_rows[] = {
	CONSTANT(BPF_MAP_CREATE),	 CONSTANT(BPF_MAP_LOOKUP_ELEM),
	CONSTANT(BPF_MAP_UPDATE_ELEM),	 CONSTANT(BPF_MAP_DELETE_ELEM),
	CONSTANT(BPF_MAP_GET_NEXT_KEY),	 CONSTANT(BPF_PROG_LOAD),
	CONSTANT(BPF_OBJ_PIN),		 CONSTANT(BPF_OBJ_GET),
	CONSTANT(BPF_PROG_ATTACH),	 CONSTANT(BPF_PROG_DETACH),
	CONSTANT(BPF_PROG_TEST_RUN),	 CONSTANT(BPF_PROG_GET_NEXT_ID),
	CONSTANT(BPF_MAP_GET_NEXT_ID),	 CONSTANT(BPF_PROG_GET_FD_BY_ID),
	CONSTANT(BPF_MAP_GET_FD_BY_ID),	 CONSTANT(BPF_OBJ_GET_INFO_BY_FD),
	CONSTANT(BPF_PROG_QUERY),	 CONSTANT(BPF_RAW_TRACEPOINT_OPEN),
	CONSTANT(BPF_BTF_LOAD),		 CONSTANT(BPF_BTF_GET_FD_BY_ID),
	CONSTANT(BPF_TASK_FD_QUERY),	 CONSTANT(BPF_MAP_LOOKUP_AND_DELETE_ELEM),
	CONSTANT(BPF_MAP_FREEZE),	 CONSTANT(BPF_BTF_GET_NEXT_ID),
	CONSTANT(BPF_MAP_LOOKUP_BATCH),	 CONSTANT(BPF_MAP_LOOKUP_AND_DELETE_BATCH),
	CONSTANT(BPF_MAP_UPDATE_BATCH),	 CONSTANT(BPF_MAP_DELETE_BATCH),
	CONSTANT(BPF_LINK_CREATE),	 CONSTANT(BPF_LINK_UPDATE),
	CONSTANT(BPF_LINK_GET_FD_BY_ID), CONSTANT(BPF_LINK_GET_NEXT_ID),
	CONSTANT(BPF_ENABLE_STATS),	 CONSTANT(BPF_ITER_CREATE),
	CONSTANT(BPF_LINK_DETACH),	 CONSTANT(BPF_PROG_BIND_MAP),
	{36, "BPF_TOKEN_CREATE"},	 {37, "BPF_PROG_STREAM_READ_BY_FD"},
};
static const struct constants bpf_commands = CONSTANTS(bpf_commands_rows, "BPF_???");

/* asm-generic/fcntl.h */
static const struct constant mq_bits_rows[] = {
	CONSTANT(O_NONBLOCK),
};
static const struct constants mq_bits = CONSTANTS(mq_bits_rows, "O_???");

/* linux/io_uring.h */
static const struct constant io_uring_setup_bits_rows[] = {
	CONSTANT(IORING_SETUP_IOPOLL),	      CONSTANT(IORING_SETUP_SQPOLL),
	CONSTANT(IORING_SETUP_SQ_AFF),	      CONSTANT(IORING_SETUP_CQSIZE),
	CONSTANT(IORING_SETUP_CLAMP),	      CONSTANT(IORING_SETUP_ATTACH_WQ),
	CONSTANT(IORING_SETUP_R_DISABLED),    CONSTANT(IORING_SETUP_SUBMIT_ALL),
	CONSTANT(IORING_SETUP_COOP_TASKRUN),  CONSTANT(IORING_SETUP_TASKRUN_FLAG),
	CONSTANT(IORING_SETUP_SQE128),	      CONSTANT(IORING_SETUP_CQE32),
	CONSTANT(IORING_SETUP_SINGLE_ISSUER), CONSTANT(IORING_SETUP_DEFER_TASKRUN),
	CONSTANT(IORING_SETUP_NO_MMAP),	      CONSTANT(IORING_SETUP_REGISTERED_FD_ONLY),
	CONSTANT(IORING_SETUP_NO_SQARRAY),    CONSTANT(IORING_SETUP_HYBRID_IOPOLL),
	CONSTANT(IORING_SETUP_CQE_MIXED),
};
static const struct constants io_uring_setup_bits =
	CONSTANTS(io_uring_setup_bits_rows, "IORING_SETUP_???");

/* linux/io_uring.h */
static const struct constant io_uring_enter_bits_rows[] = {
	CONSTANT(IORING_ENTER_GETEVENTS),	CONSTANT(IORING_ENTER_SQ_WAKEUP),
	CONSTANT(IORING_ENTER_SQ_WAIT),		CONSTANT(IORING_ENTER_EXT_ARG),
	CONSTANT(IORING_ENTER_REGISTERED_RING), CONSTANT(IORING_ENTER_ABS_TIMER),
	CONSTANT(IORING_ENTER_EXT_ARG_REG),	CONSTANT(IORING_ENTER_NO_IOWAIT),
};
static const struct constants io_uring_enter_bits =
	CONSTANTS(io_uring_enter_bits_rows, "IORING_ENTER_???");

/* linux/io_uring.h */
static const struct constant io_uring_ops_rows[] = {
	CONSTANT(IORING_REGISTER_BUFFERS),	  CONSTANT(IORING_UNREGISTER_BUFFERS),
	CONSTANT(IORING_REGISTER_FILES),	  CONSTANT(IORING_UNREGISTER_FILES),
	CONSTANT(IORING_REGISTER_EVENTFD),	  CONSTANT(IORING_UNREGISTER_EVENTFD),
	CONSTANT(IORING_REGISTER_FILES_UPDATE),	  CONSTANT(IORING_REGISTER_EVENTFD_ASYNC),
	CONSTANT(IORING_REGISTER_PROBE),	  CONSTANT(IORING_REGISTER_PERSONALITY),
	CONSTANT(IORING_UNREGISTER_PERSONALITY),  CONSTANT(IORING_REGISTER_RESTRICTIONS),
	CONSTANT(IORING_REGISTER_ENABLE_RINGS),	  CONSTANT(IORING_REGISTER_FILES2),
	CONSTANT(IORING_REGISTER_FILES_UPDATE2),  CONSTANT(IORING_REGISTER_BUFFERS2),
	CONSTANT(IORING_REGISTER_BUFFERS_UPDATE), CONSTANT(IORING_REGISTER_IOWQ_AFF),
	CONSTANT(IORING_UNREGISTER_IOWQ_AFF),	  CONSTANT(IORING_REGISTER_IOWQ_MAX_WORKERS),
	CONSTANT(IORING_REGISTER_RING_FDS),	  CONSTANT(IORING_UNREGISTER_RING_FDS),
	CONSTANT(IORING_REGISTER_PBUF_RING),	  CONSTANT(IORING_UNREGISTER_PBUF_RING),
	{24, "IORING_REGISTER_SYNC_CANCEL"},	  {25, "IORING_REGISTER_FILE_ALLOC_RANGE"},
	{26, "IORING_REGISTER_PBUF_STATUS"},	  {27, "IORING_REGISTER_NAPI"},
	{28, "IORING_UNREGISTER_NAPI"},		  {29, "IORING_REGISTER_CLOCK"},
	{30, "IORING_REGISTER_CLONE_BUFFERS"},	  {31, "IORING_REGISTER_SEND_MSG_RING"},
	{32, "IORING_REGISTER_ZCRX_IFQ"},	  {33, "IORING_REGISTER_RESIZE_RINGS"},
	{34, "IORING_REGISTER_MEM_REGION"},	  {35, "IORING_REGISTER_QUERY"},
};
static const struct constants io_uring_ops = CONSTANTS(io_uring_ops_rows, "IORING_REGISTER_???");

/* linux/kexec.h */
static const struct constant kexec_architectures_rows[] = {
	CONSTANT(KEXEC_ARCH_DEFAULT), CONSTANT(KEXEC_ARCH_386),	    CONSTANT(KEXEC_ARCH_68K),
	CONSTANT(KEXEC_ARCH_X86_64),  CONSTANT(KEXEC_ARCH_PPC),	    CONSTANT(KEXEC_ARCH_PPC64),
	CONSTANT(KEXEC_ARCH_IA_64),   CONSTANT(KEXEC_ARCH_ARM),	    CONSTANT(KEXEC_ARCH_S390),
	CONSTANT(KEXEC_ARCH_SH),      CONSTANT(KEXEC_ARCH_MIPS_LE), CONSTANT(KEXEC_ARCH_MIPS),
	CONSTANT(KEXEC_ARCH_AARCH64), CONSTANT(KEXEC_ARCH_RISCV),
};
static const struct constants kexec_architectures =
	CONSTANTS(kexec_architectures_rows, "KEXEC_ARCH_???");

/* linux/kexec.h */
static const struct constant kexec_bits_rows[] = {
	CONSTANT(KEXEC_ON_CRASH),
	CONSTANT(KEXEC_PRESERVE_CONTEXT),
	CONSTANT(KEXEC_UPDATE_ELFCOREHDR),
	CONSTANT(KEXEC_CRASH_HOTPLUG_SUPPORT),
};
static const struct constants kexec_bits = CONSTANTS(kexec_bits_rows, "KEXEC_???");

/* linux/kexec.h */
static const struct constant kexec_file_bits_rows[] = {
	CONSTANT(KEXEC_FILE_UNLOAD),	   CONSTANT(KEXEC_FILE_ON_CRASH),
	CONSTANT(KEXEC_FILE_NO_INITRAMFS), CONSTANT(KEXEC_FILE_DEBUG),
	CONSTANT(KEXEC_FILE_NO_CMA),
};
static const struct constants kexec_file_bits = CONSTANTS(kexec_file_bits_rows, "KEXEC_FILE_???");

/* linux/module.h */
static const struct constant module_bits_rows[] = {
	CONSTANT(MODULE_INIT_IGNORE_MODVERSIONS),
	CONSTANT(MODULE_INIT_IGNORE_VERMAGIC),
	CONSTANT(MODULE_INIT_COMPRESSED_FILE),
};
static const struct constants module_bits = CONSTANTS(module_bits_rows, "MODULE_INIT_???");

/* asm-generic/fcntl.h */
static const struct constant delete_module_bits_rows[] = {
	CONSTANT(O_NONBLOCK),
	CONSTANT(O_TRUNC),
};
static const struct constants delete_module_bits = CONSTANTS(delete_module_bits_rows, "O_???");

/* linux/reboot.h */
static const struct constant reboot_magics_rows[] = {
	CONSTANT(LINUX_REBOOT_MAGIC1),
};
static const struct constants reboot_magics =
	CONSTANTS(reboot_magics_rows, "LINUX_REBOOT_MAGIC_???");

/* linux/reboot.h */
static const struct constant reboot_second_magics_rows[] = {
	CONSTANT(LINUX_REBOOT_MAGIC2),
	CONSTANT(LINUX_REBOOT_MAGIC2A),
	CONSTANT(LINUX_REBOOT_MAGIC2B),
	CONSTANT(LINUX_REBOOT_MAGIC2C),
};
static const struct constants reboot_second_magics =
	CONSTANTS(reboot_second_magics_rows, "LINUX_REBOOT_MAGIC_???");

/* linux/reboot.h */
static const struct constant reboot_commands_rows[] = {
	CONSTANT(LINUX_REBOOT_CMD_CAD_OFF),    CONSTANT(LINUX_REBOOT_CMD_RESTART),
	CONSTANT(LINUX_REBOOT_CMD_HALT),       CONSTANT(LINUX_REBOOT_CMD_CAD_ON),
	CONSTANT(LINUX_REBOOT_CMD_POWER_OFF),  CONSTANT(LINUX_REBOOT_CMD_RESTART2),
	CONSTANT(LINUX_REBOOT_CMD_SW_SUSPEND), CONSTANT(LINUX_REBOOT_CMD_KEXEC),
};
static const struct constants reboot_commands =
	CONSTANTS(reboot_commands_rows, "LINUX_REBOOT_CMD_???");

/* include/linux/syslog.h */
static const struct constant syslog_actions_rows[] = {
	{0, "SYSLOG_ACTION_CLOSE"},	    {1, "SYSLOG_ACTION_OPEN"},
	{2, "SYSLOG_ACTION_READ"},	    {3, "SYSLOG_ACTION_READ_ALL"},
	{4, "SYSLOG_ACTION_READ_CLEAR"},    {5, "SYSLOG_ACTION_CLEAR"},
	{6, "SYSLOG_ACTION_CONSOLE_OFF"},   {7, "SYSLOG_ACTION_CONSOLE_ON"},
	{8, "SYSLOG_ACTION_CONSOLE_LEVEL"}, {9, "SYSLOG_ACTION_SIZE_UNREAD"},
	{10, "SYSLOG_ACTION_SIZE_BUFFER"},
};
static const struct constants syslog_actions = CONSTANTS(syslog_actions_rows, NULL);

/* linux/random.h */
static const struct constant random_bits_rows[] = {
	CONSTANT(GRND_NONBLOCK),
	CONSTANT(GRND_RANDOM),
	CONSTANT(GRND_INSECURE),
};
static const struct constants random_bits = CONSTANTS(random_bits_rows, "GRND_???");

/* The clock is a bit beside the operation. */
static void print_futex_op(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint32_t op = (uint32_t)p->call->args[arg];
	const char *name = constant_name(&futex_ops, op & ~FUTEX_CLOCK_REALTIME);

	(void)type;
	if (op == (FUTEX_FD | FUTEX_PRIVATE_FLAG))
		print_text(p, "FUTEX_FD|FUTEX_PRIVATE_FLAG");
	else if (name && op & FUTEX_CLOCK_REALTIME)
		print_text(p, "%s|FUTEX_CLOCK_REALTIME", name);
	else
		print_choice(p, op, &futex_ops);
}

/* enum futex_arg - what an argument behind the operation is */
enum futex_arg {
	FUTEX_ARG_NONE = 0,
	FUTEX_ARG_NUMBER,
	FUTEX_ARG_TIME,
	FUTEX_ARG_ADDRESS,
	FUTEX_ARG_BITS,
	FUTEX_ARG_HEX,
	FUTEX_ARG_WAKE_OP,
};

/* futex(2) */
static const struct {
	uint32_t op;
	uint8_t args[4]; /* enum futex_arg */
} futex_args[] = {
	{FUTEX_WAIT, {FUTEX_ARG_NUMBER, FUTEX_ARG_TIME}},
	{FUTEX_WAKE, {FUTEX_ARG_NUMBER}},
	{FUTEX_FD, {FUTEX_ARG_NUMBER}},
	{FUTEX_REQUEUE, {FUTEX_ARG_NUMBER, FUTEX_ARG_NUMBER, FUTEX_ARG_ADDRESS}},
	{FUTEX_CMP_REQUEUE,
	 {FUTEX_ARG_NUMBER, FUTEX_ARG_NUMBER, FUTEX_ARG_ADDRESS, FUTEX_ARG_NUMBER}},
	{FUTEX_WAKE_OP, {FUTEX_ARG_NUMBER, FUTEX_ARG_NUMBER, FUTEX_ARG_ADDRESS, FUTEX_ARG_WAKE_OP}},
	{FUTEX_LOCK_PI, {FUTEX_ARG_NONE, FUTEX_ARG_TIME}},
	{FUTEX_LOCK_PI2, {FUTEX_ARG_NONE, FUTEX_ARG_TIME}},
	{FUTEX_UNLOCK_PI, {FUTEX_ARG_NONE}},
	{FUTEX_TRYLOCK_PI, {FUTEX_ARG_NONE}},
	{FUTEX_WAIT_BITSET, {FUTEX_ARG_NUMBER, FUTEX_ARG_TIME, FUTEX_ARG_NONE, FUTEX_ARG_BITS}},
	{FUTEX_WAKE_BITSET, {FUTEX_ARG_NUMBER, FUTEX_ARG_NONE, FUTEX_ARG_NONE, FUTEX_ARG_BITS}},
	{FUTEX_WAIT_REQUEUE_PI, {FUTEX_ARG_NUMBER, FUTEX_ARG_TIME, FUTEX_ARG_ADDRESS}},
	{FUTEX_CMP_REQUEUE_PI,
	 {FUTEX_ARG_NUMBER, FUTEX_ARG_NUMBER, FUTEX_ARG_ADDRESS, FUTEX_ARG_NUMBER}},
};

/* FUTEX_OP() of linux/futex.h, taken apart */
static void print_wake_op(struct printer *p, uint32_t op)
{
	if (op >> 28 & FUTEX_OP_OPARG_SHIFT)
		print_text(p, "FUTEX_OP_OPARG_SHIFT<<28|");
	print_choice(p, op >> 28 & 7, &futex_wake_ops);
	print_text(p, "<<28|%#x<<12|", op >> 12 & 0xfff);
	print_choice(p, op >> 24 & 0xf, &futex_compares);
	print_text(p, "<<24|%#x", op & 0xfff);
}

static void print_futex_arg(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	static const uint8_t unknown[4] = {FUTEX_ARG_NUMBER, FUTEX_ARG_ADDRESS, FUTEX_ARG_ADDRESS,
					   FUTEX_ARG_HEX};
	uint32_t op = (uint32_t)p->call->args[1] & (FUTEX_PRIVATE_FLAG - 1);
	uint8_t kind = unknown[arg - 2];

	for (size_t i = 0; i < sizeof(futex_args) / sizeof(futex_args[0]); i++)
		if (futex_args[i].op == op)
			kind = futex_args[i].args[arg - 2];
	switch (kind) {
	case FUTEX_ARG_NUMBER:
		arg_uint.print(p, arg, type);
		break;
	case FUTEX_ARG_TIME:
		arg_timespec.print(p, arg, type);
		break;
	case FUTEX_ARG_ADDRESS:
		print_arg_address(p, arg, type);
		break;
	case FUTEX_ARG_HEX:
		arg_hex32.print(p, arg, &arg_hex32);
		break;
	case FUTEX_ARG_BITS:
		if ((uint32_t)p->call->args[arg] == FUTEX_BITSET_MATCH_ANY)
			print_text(p, "FUTEX_BITSET_MATCH_ANY");
		else
			print_text(p, "%#x", (uint32_t)p->call->args[arg]);
		break;
	case FUTEX_ARG_WAKE_OP:
		print_wake_op(p, (uint32_t)p->call->args[arg]);
		break;
	default:
		break;
	}
}

static void print_key_serial(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const char *name = constant_name(&special_keys, (uint64_t)(int)p->call->args[arg]);

	if (name)
		print_text(p, "%s", name);
	else
		print_arg_int(p, arg, type);
}

/* It is read as a string: what stands before a NUL, or before its end. */
static void print_payload(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint64_t count = p->call->args[arg + 1];
	const void *blob = printer_blob(p, arg, 0);
	size_t there = p->call->blobs[arg].len;

	if (!p->call->args[arg] || !blob) {
		print_arg_address(p, arg, type);
		return;
	}
	print_quoted(p, blob, there < count ? there : count);
	if (there < count)
		print_text(p, "...");
}

static void print_errno(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const char *name = errno_name((int)p->call->args[arg]);

	if (name)
		print_text(p, "%s", name);
	else
		print_arg_int(p, arg, type);
}

static const struct arg_type key_permission = ARG_FLAGS(key_permissions);
static const struct arg_type default_keyring = ARG_CHOICE(default_keyrings);
static const struct arg_type key_move_flags = ARG_FLAGS(key_move_bits);
static const struct arg_type payload = {.print = print_payload};
static const struct arg_type error_number = {.print = print_errno};

/* What an operation takes; one that is not here, four numbers. linux/keyctl.h, keyctl(2) */
static const struct {
	uint32_t op;
	const struct arg_type *args[4];
} keyctl_args[] = {
	{KEYCTL_GET_KEYRING_ID, {&arg_key_serial, &arg_int}},
	{KEYCTL_JOIN_SESSION_KEYRING, {&arg_string}},
	{KEYCTL_UPDATE, {&arg_key_serial, &payload, &arg_size}},
	{KEYCTL_REVOKE, {&arg_key_serial}},
	{KEYCTL_CHOWN, {&arg_key_serial, &arg_id, &arg_id}},
	{KEYCTL_SETPERM, {&arg_key_serial, &key_permission}},
	{KEYCTL_DESCRIBE, {&arg_key_serial, &arg_output, &arg_size}},
	{KEYCTL_CLEAR, {&arg_key_serial}},
	{KEYCTL_LINK, {&arg_key_serial, &arg_key_serial}},
	{KEYCTL_UNLINK, {&arg_key_serial, &arg_key_serial}},
	{KEYCTL_SEARCH, {&arg_key_serial, &arg_string, &arg_string, &arg_key_serial}},
	{KEYCTL_READ, {&arg_key_serial, &arg_output, &arg_size}},
	{KEYCTL_INSTANTIATE, {&arg_key_serial, &payload, &arg_size, &arg_key_serial}},
	{KEYCTL_NEGATE, {&arg_key_serial, &arg_uint, &arg_key_serial}},
	{KEYCTL_SET_REQKEY_KEYRING, {&default_keyring}},
	{KEYCTL_SET_TIMEOUT, {&arg_key_serial, &arg_uint}},
	{KEYCTL_ASSUME_AUTHORITY, {&arg_key_serial}},
	{KEYCTL_GET_SECURITY, {&arg_key_serial, &arg_output, &arg_size}},
	{KEYCTL_SESSION_TO_PARENT, {NULL}},
	{KEYCTL_REJECT, {&arg_key_serial, &arg_uint, &error_number, &arg_key_serial}},
	{KEYCTL_INSTANTIATE_IOV, {&arg_key_serial, &arg_address, &arg_size, &arg_key_serial}},
	{KEYCTL_INVALIDATE, {&arg_key_serial}},
	{KEYCTL_GET_PERSISTENT, {&arg_id, &arg_key_serial}},
	{KEYCTL_DH_COMPUTE, {&arg_address, &arg_output, &arg_size, &arg_address}},
	{KEYCTL_PKEY_QUERY, {&arg_key_serial, &arg_hex, &arg_string, &arg_output}},
	{KEYCTL_RESTRICT_KEYRING, {&arg_key_serial, &arg_string, &arg_string}},
	{KEYCTL_MOVE, {&arg_key_serial, &arg_key_serial, &arg_key_serial, &key_move_flags}},
	{KEYCTL_CAPABILITIES, {&arg_output, &arg_size}},
};

static void print_keyctl_arg(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const struct arg_type *what = &arg_hex;

	(void)type;
	for (size_t i = 0; i < sizeof(keyctl_args) / sizeof(keyctl_args[0]); i++)
		if (keyctl_args[i].op == (uint32_t)p->call->args[0])
			what = keyctl_args[i].args[arg - 1];
	if (what)
		what->print(p, arg, what);
}

static void print_mq_mode(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	if (p->call->args[1] & O_CREAT)
		arg_mode.print(p, arg, type);
}

static void print_mq_attr(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, 4 * sizeof(int64_t));
	int64_t attr[4];

	if (!(p->call->args[1] & O_CREAT))
		return;
	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(attr, blob, sizeof(attr));
	print_text(p, "{mq_flags=");
	print_flags(p, (uint64_t)attr[0], &mq_bits);
	print_text(p, ", mq_maxmsg=%" PRId64 ", mq_msgsize=%" PRId64 ", mq_curmsgs=%" PRId64 "}",
		   attr[1], attr[2], attr[3]);
}

static void print_io_uring_params(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, offsetof(struct io_uring_params, sq_off));
	struct io_uring_params params;

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&params, blob, offsetof(struct io_uring_params, sq_off));
	print_text(p, "{flags=");
	print_flags(p, params.flags, &io_uring_setup_bits);
	print_text(p, ", sq_thread_cpu=%#x, sq_thread_idle=%u", params.sq_thread_cpu,
		   params.sq_thread_idle);
	if (params.flags & IORING_SETUP_ATTACH_WQ)
		print_text(p, ", wq_fd=%u", params.wq_fd);
	if (params.resv[0] || params.resv[1] || params.resv[2])
		print_text(p, ", resv=[%#x, %#x, %#x]", params.resv[0], params.resv[1],
			   params.resv[2]);
	print_text(p, "}");
}

static void print_kexec_flags(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint64_t flags = p->call->args[arg];

	(void)type;
	print_choice(p, flags & KEXEC_ARCH_MASK, &kexec_architectures);
	if (flags & ~(uint64_t)KEXEC_ARCH_MASK) {
		print_text(p, "|");
		print_flags(p, flags & ~(uint64_t)KEXEC_ARCH_MASK, &kexec_bits);
	}
}

static void print_reboot_arg(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	if ((uint32_t)p->call->args[2] == LINUX_REBOOT_CMD_RESTART2)
		print_arg_string(p, arg, type);
}

static void print_syslog_action(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const char *name = constant_name(&syslog_actions, (uint32_t)p->call->args[arg]);

	print_arg_int(p, arg, type);
	print_text(p, " /* %s */", name ?: "SYSLOG_ACTION_???");
}

/* Actions that look at the buffer, or at its length alone. */
static bool syslog_takes_buffer(const struct printer *p)
{
	uint32_t action = (uint32_t)p->call->args[0];

	return action > 10 || (action >= 2 && action <= 4) || action == 8;
}

static void print_syslog_buffer(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	if (syslog_takes_buffer(p))
		print_arg_address(p, arg, type);
}

static void print_syslog_size(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	static const char *const levels[] = {"EMERG",	"ALERT",  "CRIT", "ERR",
					     "WARNING", "NOTICE", "INFO", "DEBUG"};
	uint32_t level = (uint32_t)p->call->args[arg];

	if (!syslog_takes_buffer(p))
		return;
	print_arg_int(p, arg, type);
	if ((uint32_t)p->call->args[0] == 8)
		print_text(p, " /* LOGLEVEL_%s */",
			   level < sizeof(levels) / sizeof(levels[0]) ? levels[level] : "???");
}

const struct arg_type arg_futex_op = {.print = print_futex_op};
const struct arg_type arg_futex_3 = {.print = print_futex_arg};
const struct arg_type arg_futex_4 = ARG_STRUCT(print_futex_arg, 16);
const struct arg_type arg_futex_5 = {.print = print_futex_arg};
const struct arg_type arg_futex_6 = {.print = print_futex_arg};
const struct arg_type arg_key_serial = {.print = print_key_serial};
const struct arg_type arg_keyctl_op = ARG_CHOICE(key_ops);
const struct arg_type arg_keyctl_2 = {
	.print = print_keyctl_arg, .kind = SYSCALL_READ_STRING, .max = SYSCALL_BYTES_MAX};
const struct arg_type arg_keyctl_3 = {
	.print = print_keyctl_arg, .kind = SYSCALL_READ_STRING, .max = SYSCALL_BYTES_MAX};
const struct arg_type arg_keyctl_4 = {
	.print = print_keyctl_arg, .kind = SYSCALL_READ_STRING, .max = SYSCALL_BYTES_MAX};
const struct arg_type arg_keyctl_5 = {.print = print_keyctl_arg};
const struct arg_type arg_bpf_command = ARG_CHOICE(bpf_commands);
const struct arg_type arg_io_uring_params =
	ARG_STRUCT(print_io_uring_params, offsetof(struct io_uring_params, sq_off));
const struct arg_type arg_io_uring_enter_flags = ARG_FLAGS(io_uring_enter_bits);
const struct arg_type arg_io_uring_register_op = ARG_CHOICE(io_uring_ops);
const struct arg_type arg_mq_mode = {.print = print_mq_mode};
const struct arg_type arg_mq_attr = ARG_STRUCT(print_mq_attr, 4 * sizeof(int64_t));
const struct arg_type arg_kexec_flags = {.print = print_kexec_flags};
const struct arg_type arg_kexec_file_flags = ARG_FLAGS64(kexec_file_bits);
const struct arg_type arg_finit_module_flags = ARG_FLAGS(module_bits);
const struct arg_type arg_delete_module_flags = ARG_FLAGS(delete_module_bits);
const struct arg_type arg_reboot_magic1 = ARG_CHOICE(reboot_magics);
const struct arg_type arg_reboot_magic2 = ARG_CHOICE(reboot_second_magics);
const struct arg_type arg_reboot_command = ARG_CHOICE(reboot_commands);
const struct arg_type arg_reboot_arg = {
	.print = print_reboot_arg, .kind = SYSCALL_READ_STRING, .max = SYSCALL_BYTES_MAX};
const struct arg_type arg_syslog_action = {.print = print_syslog_action};
const struct arg_type arg_syslog_buffer = {.print = print_syslog_buffer};
const struct arg_type arg_syslog_size = {.print = print_syslog_size};
const struct arg_type arg_getrandom_flags = ARG_FLAGS(random_bits);
