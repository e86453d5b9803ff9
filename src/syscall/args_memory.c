// SPDX-License-Identifier: GPL-2.0
/* Memory, and what System V shares. */
#include "syscall/args.h"

#include <inttypes.h>
#include <string.h>

#include <asm/mman.h>
#include <linux/ipc.h>
#include <linux/membarrier.h>
#include <linux/mempolicy.h>
#include <linux/mman.h>
#include <linux/msg.h>
#include <linux/sem.h>
#include <linux/shm.h>
#include <linux/userfaultfd.h>
#include <linux/fcntl.h>

#include "syscall/newer.h"

/* asm-generic/mman-common.h */
static const struct constant prot_bits_rows[] = {
	CONSTANT(PROT_NONE), CONSTANT(PROT_READ),      CONSTANT(PROT_WRITE),   CONSTANT(PROT_EXEC),
	CONSTANT(PROT_SEM),  CONSTANT(PROT_GROWSDOWN), CONSTANT(PROT_GROWSUP),
};
static const struct constants prot_bits = CONSTANTS(prot_bits_rows, "PROT_???");

/* linux/mman.h */
static const struct constant map_kinds_rows[] = {
	{0, "MAP_FILE"},	 CONSTANT(MAP_SHARED),
	CONSTANT(MAP_PRIVATE),	 CONSTANT(MAP_SHARED_VALIDATE),
	CONSTANT(MAP_DROPPABLE),
};
static const struct constants map_kinds = CONSTANTS(map_kinds_rows, "MAP_???");

/* asm-generic/mman.h, asm/mman.h */
static const struct constant map_bits_rows[] = {
	CONSTANT(MAP_FIXED),	     CONSTANT(MAP_ANONYMOUS), CONSTANT(MAP_32BIT),
	CONSTANT(MAP_ABOVE4G),	     CONSTANT(MAP_NORESERVE), CONSTANT(MAP_POPULATE),
	CONSTANT(MAP_NONBLOCK),	     CONSTANT(MAP_GROWSDOWN), CONSTANT(MAP_DENYWRITE),
	CONSTANT(MAP_EXECUTABLE),    CONSTANT(MAP_LOCKED),    CONSTANT(MAP_STACK),
	CONSTANT(MAP_HUGETLB),	     CONSTANT(MAP_SYNC),      CONSTANT(MAP_FIXED_NOREPLACE),
	CONSTANT(MAP_UNINITIALIZED),
};
static const struct constants map_bits = CONSTANTS(map_bits_rows, NULL);

/* linux/mman.h */
static const struct constant mremap_bits_rows[] = {
	CONSTANT(MREMAP_MAYMOVE),
	CONSTANT(MREMAP_FIXED),
	CONSTANT(MREMAP_DONTUNMAP),
};
static const struct constants mremap_bits = CONSTANTS(mremap_bits_rows, "MREMAP_???");

/* asm-generic/mman-common.h */
static const struct constant msync_bits_rows[] = {
	CONSTANT(MS_SYNC),
	CONSTANT(MS_ASYNC),
	CONSTANT(MS_INVALIDATE),
};
static const struct constants msync_bits = CONSTANTS(msync_bits_rows, "MS_???");

/* asm-generic/mman-common.h */
static const struct constant advice_rows[] = {
	CONSTANT(MADV_NORMAL),		CONSTANT(MADV_RANDOM),	      CONSTANT(MADV_SEQUENTIAL),
	CONSTANT(MADV_WILLNEED),	CONSTANT(MADV_DONTNEED),      CONSTANT(MADV_FREE),
	CONSTANT(MADV_REMOVE),		CONSTANT(MADV_DONTFORK),      CONSTANT(MADV_DOFORK),
	CONSTANT(MADV_MERGEABLE),	CONSTANT(MADV_UNMERGEABLE),   CONSTANT(MADV_HUGEPAGE),
	CONSTANT(MADV_NOHUGEPAGE),	CONSTANT(MADV_DONTDUMP),      CONSTANT(MADV_DODUMP),
	CONSTANT(MADV_WIPEONFORK),	CONSTANT(MADV_KEEPONFORK),    CONSTANT(MADV_COLD),
	CONSTANT(MADV_PAGEOUT),		CONSTANT(MADV_POPULATE_READ), CONSTANT(MADV_POPULATE_WRITE),
	CONSTANT(MADV_DONTNEED_LOCKED), CONSTANT(MADV_COLLAPSE),      CONSTANT(MADV_HWPOISON),
	CONSTANT(MADV_SOFT_OFFLINE),	CONSTANT(MADV_GUARD_INSTALL), CONSTANT(MADV_GUARD_REMOVE),
};
static const struct constants advice = CONSTANTS(advice_rows, "MADV_???");

/* asm-generic/mman-common.h */
static const struct constant mlock2_bits_rows[] = {
	CONSTANT(MLOCK_ONFAULT),
};
static const struct constants mlock2_bits = CONSTANTS(mlock2_bits_rows, "MLOCK_???");

/* asm-generic/mman.h */
static const struct constant mlockall_bits_rows[] = {
	CONSTANT(MCL_CURRENT),
	CONSTANT(MCL_FUTURE),
	CONSTANT(MCL_ONFAULT),
};
static const struct constants mlockall_bits = CONSTANTS(mlockall_bits_rows, "MCL_???");

/* linux/mempolicy.h */
static const struct constant policies_rows[] = {
	CONSTANT(MPOL_DEFAULT),		 CONSTANT(MPOL_PREFERRED), CONSTANT(MPOL_BIND),
	CONSTANT(MPOL_INTERLEAVE),	 CONSTANT(MPOL_LOCAL),	   CONSTANT(MPOL_PREFERRED_MANY),
	{6, "MPOL_WEIGHTED_INTERLEAVE"},
};
static const struct constants policies = CONSTANTS(policies_rows, "MPOL_???");

/* linux/mempolicy.h */
static const struct constant policy_bits_rows[] = {
	CONSTANT(MPOL_F_STATIC_NODES),
	CONSTANT(MPOL_F_RELATIVE_NODES),
	CONSTANT(MPOL_F_NUMA_BALANCING),
};
static const struct constants policy_bits = CONSTANTS(policy_bits_rows, "MPOL_???");

/* linux/mempolicy.h */
static const struct constant mbind_bits_rows[] = {
	CONSTANT(MPOL_MF_STRICT),
	CONSTANT(MPOL_MF_MOVE),
	CONSTANT(MPOL_MF_MOVE_ALL),
};
static const struct constants mbind_bits = CONSTANTS(mbind_bits_rows, "MPOL_???");

/* linux/mempolicy.h */
static const struct constant get_mempolicy_bits_rows[] = {
	CONSTANT(MPOL_F_NODE),
	CONSTANT(MPOL_F_ADDR),
	CONSTANT(MPOL_F_MEMS_ALLOWED),
};
static const struct constants get_mempolicy_bits = CONSTANTS(get_mempolicy_bits_rows, "MPOL_???");

/* linux/userfaultfd.h, asm-generic/fcntl.h */
static const struct constant userfaultfd_bits_rows[] = {
	CONSTANT(UFFD_USER_MODE_ONLY),
	CONSTANT(O_NONBLOCK),
	CONSTANT(O_CLOEXEC),
};
static const struct constants userfaultfd_bits = CONSTANTS(userfaultfd_bits_rows, "UFFD_???");

/* linux/membarrier.h */
static const struct constant barriers_rows[] = {
	CONSTANT(MEMBARRIER_CMD_QUERY),
	CONSTANT(MEMBARRIER_CMD_GLOBAL),
	CONSTANT(MEMBARRIER_CMD_GLOBAL_EXPEDITED),
	CONSTANT(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED),
	CONSTANT(MEMBARRIER_CMD_PRIVATE_EXPEDITED),
	CONSTANT(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED),
	CONSTANT(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE),
	CONSTANT(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE),
	CONSTANT(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ),
	CONSTANT(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ),
	{512, "MEMBARRIER_CMD_GET_REGISTRATIONS"},
};
static const struct constants barriers = CONSTANTS(barriers_rows, "MEMBARRIER_CMD_???");

/* linux/membarrier.h */
static const struct constant barrier_bits_rows[] = {
	CONSTANT(MEMBARRIER_CMD_FLAG_CPU),
};
static const struct constants barrier_bits =
	CONSTANTS(barrier_bits_rows, "MEMBARRIER_CMD_FLAG_???");

/* asm-generic/mman-common.h, asm/mman.h of powerpc */
static const struct constant pkey_bits_rows[] = {
	CONSTANT(PKEY_DISABLE_ACCESS),
	CONSTANT(PKEY_DISABLE_WRITE),
	{4, "PKEY_DISABLE_EXECUTE"},
};
static const struct constants pkey_bits = CONSTANTS(pkey_bits_rows, "PKEY_???");

/* linux/shm.h, linux/ipc.h */
static const struct constant shm_bits_rows[] = {
	CONSTANT(IPC_CREAT),
	CONSTANT(IPC_EXCL),
	CONSTANT(SHM_HUGETLB),
	CONSTANT(SHM_NORESERVE),
};
static const struct constants shm_bits = CONSTANTS(shm_bits_rows, NULL);

/* linux/ipc.h */
static const struct constant ipc_bits_rows[] = {
	CONSTANT(IPC_CREAT),
	CONSTANT(IPC_EXCL),
	CONSTANT(IPC_NOWAIT),
};
static const struct constants ipc_bits = CONSTANTS(ipc_bits_rows, NULL);

/* linux/shm.h */
static const struct constant shm_at_bits_rows[] = {
	CONSTANT(SHM_RDONLY),
	CONSTANT(SHM_RND),
	CONSTANT(SHM_REMAP),
	CONSTANT(SHM_EXEC),
};
static const struct constants shm_at_bits = CONSTANTS(shm_at_bits_rows, "SHM_???");

/* linux/shm.h, linux/ipc.h */
static const struct constant shm_commands_rows[] = {
	CONSTANT(IPC_RMID), CONSTANT(IPC_SET),	CONSTANT(IPC_STAT),
	CONSTANT(IPC_INFO), CONSTANT(SHM_LOCK), CONSTANT(SHM_UNLOCK),
	CONSTANT(SHM_STAT), CONSTANT(SHM_INFO), CONSTANT(SHM_STAT_ANY),
};
static const struct constants shm_commands = CONSTANTS(shm_commands_rows, "SHM_???");

/* linux/sem.h, linux/ipc.h */
static const struct constant sem_commands_rows[] = {
	CONSTANT(IPC_RMID), CONSTANT(IPC_SET),	    CONSTANT(IPC_STAT), CONSTANT(IPC_INFO),
	CONSTANT(GETPID),   CONSTANT(GETVAL),	    CONSTANT(GETALL),	CONSTANT(GETNCNT),
	CONSTANT(GETZCNT),  CONSTANT(SETVAL),	    CONSTANT(SETALL),	CONSTANT(SEM_STAT),
	CONSTANT(SEM_INFO), CONSTANT(SEM_STAT_ANY),
};
static const struct constants sem_commands = CONSTANTS(sem_commands_rows, "SEM_???");

/* linux/msg.h, linux/ipc.h */
static const struct constant msg_commands_rows[] = {
	CONSTANT(IPC_RMID), CONSTANT(IPC_SET),	CONSTANT(IPC_STAT),	CONSTANT(IPC_INFO),
	CONSTANT(MSG_STAT), CONSTANT(MSG_INFO), CONSTANT(MSG_STAT_ANY),
};
static const struct constants msg_commands = CONSTANTS(msg_commands_rows, "MSG_???");

/* linux/msg.h, linux/ipc.h */
static const struct constant msg_bits_rows[] = {
	CONSTANT(MSG_NOERROR),
	CONSTANT(MSG_EXCEPT),
	CONSTANT(MSG_COPY),
	CONSTANT(IPC_NOWAIT),
};
static const struct constants msg_bits = CONSTANTS(msg_bits_rows, "MSG_???");

/* linux/sem.h, linux/ipc.h */
static const struct constant sem_bits_rows[] = {
	CONSTANT(SEM_UNDO),
	CONSTANT(IPC_NOWAIT),
};
static const struct constants sem_bits = CONSTANTS(sem_bits_rows, "SEM_???");

static void print_map_flags(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint64_t flags = (uint32_t)p->call->args[arg], rest;
	uint64_t huge = flags >> MAP_HUGE_SHIFT & MAP_HUGE_MASK;

	(void)type;
	print_choice(p, flags & MAP_TYPE, &map_kinds);
	flags &= ~(uint64_t)MAP_TYPE & ~((uint64_t)MAP_HUGE_MASK << MAP_HUGE_SHIFT);
	/* MAP_UNINITIALIZED has a bit of the page size */
	print_known_flags(p, flags, &map_bits, 1, &rest);
	if (rest)
		print_text(p, "|%#lx", rest);
	if (huge)
		print_text(p, "|%" PRIu64 "<<MAP_HUGE_SHIFT", huge);
}

static void print_mremap_address(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint64_t flags = p->call->args[arg - 1];

	if (flags & MREMAP_MAYMOVE && flags & MREMAP_FIXED)
		print_arg_address(p, arg, type);
}

static void print_policy(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const uint32_t bits = MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES | MPOL_F_NUMA_BALANCING;
	uint32_t policy = (uint32_t)p->call->args[arg];
	const char *name = constant_name(&policies, policy & ~bits);

	(void)type;
	if (name) {
		print_text(p, "%s", name);
		policy &= bits;
		if (!policy)
			return;
		print_text(p, "|");
	}
	print_flags(p, policy, &policy_bits);
}

static void print_barrier_cpu(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	if (p->call->args[arg - 1] & MEMBARRIER_CMD_FLAG_CPU)
		print_arg_int(p, arg, type);
}

static void print_ipc_key(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint32_t key = (uint32_t)p->call->args[arg];

	(void)type;
	if (key == IPC_PRIVATE)
		print_text(p, "IPC_PRIVATE");
	else
		print_text(p, "%#x", key);
}

/* The permissions are in the same number, behind the flags. */
static void print_ipc_flags(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint64_t flags = (uint32_t)p->call->args[arg], rest = 0;
	uint32_t huge = 0;
	bool some;

	if (type->names == &shm_bits) {
		huge = flags >> SHM_HUGE_SHIFT & SHM_HUGE_MASK;
		flags &= ~((uint64_t)SHM_HUGE_MASK << SHM_HUGE_SHIFT);
	}
	some = flags & ~0777ULL;
	if (print_known_flags(p, flags & ~0777ULL, type->names, 0, &rest) && rest)
		print_text(p, "|");
	if (rest)
		print_text(p, "%#lx", rest);
	if (huge)
		print_text(p, "%s%u<<SHM_HUGE_SHIFT", some ? "|" : "", huge);
	if (some || huge)
		print_text(p, "|");
	print_mode(p, flags & 0777);
}

static void print_sembuf(struct printer *p, const struct sembuf *sem)
{
	print_text(p, "{sem_num=%u, sem_op=%d, sem_flg=", sem->sem_num, sem->sem_op);
	print_flags(p, (uint16_t)sem->sem_flg, &sem_bits);
	print_text(p, "}");
}

static void print_sembufs(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint64_t count = (uint32_t)p->call->args[(int)arg + type->count_at];
	const uint8_t *blob = printer_blob(p, arg, sizeof(struct sembuf));
	size_t there = p->call->blobs[arg].len / sizeof(struct sembuf);
	struct sembuf sem;

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	print_text(p, "[");
	for (size_t i = 0; i < there && i < count; i++) {
		memcpy(&sem, blob + i * sizeof(sem), sizeof(sem));
		if (i)
			print_text(p, ", ");
		print_sembuf(p, &sem);
	}
	print_text(p, there < count ? ", ...]" : "]");
}

const struct arg_type arg_prot = ARG_FLAGS64(prot_bits);
const struct arg_type arg_map_flags = {.print = print_map_flags};
const struct arg_type arg_mremap_flags = ARG_FLAGS64(mremap_bits);
const struct arg_type arg_mremap_address = {.print = print_mremap_address};
const struct arg_type arg_msync_flags = ARG_FLAGS(msync_bits);
const struct arg_type arg_madvise = ARG_CHOICE(advice);
const struct arg_type arg_mlock2_flags = ARG_FLAGS(mlock2_bits);
const struct arg_type arg_mlockall_flags = ARG_FLAGS(mlockall_bits);
const struct arg_type arg_mempolicy = {.print = print_policy};
const struct arg_type arg_mbind_flags = ARG_FLAGS(mbind_bits);
const struct arg_type arg_get_mempolicy_flags = ARG_FLAGS64(get_mempolicy_bits);
const struct arg_type arg_userfaultfd_flags = ARG_FLAGS(userfaultfd_bits);
const struct arg_type arg_membarrier_command = ARG_CHOICE(barriers);
const struct arg_type arg_membarrier_flags = ARG_FLAGS(barrier_bits);
const struct arg_type arg_membarrier_cpu = {.print = print_barrier_cpu};
const struct arg_type arg_pkey_rights = ARG_FLAGS64(pkey_bits);
const struct arg_type arg_ipc_key = {.print = print_ipc_key};
const struct arg_type arg_shm_get_flags = {.print = print_ipc_flags, .names = &shm_bits};
const struct arg_type arg_ipc_get_flags = {.print = print_ipc_flags, .names = &ipc_bits};
const struct arg_type arg_shm_at_flags = ARG_FLAGS(shm_at_bits);
const struct arg_type arg_shm_ctl = ARG_CHOICE(shm_commands);
const struct arg_type arg_sem_ctl = ARG_CHOICE(sem_commands);
const struct arg_type arg_msg_ctl = ARG_CHOICE(msg_commands);
const struct arg_type arg_msg_queue_flags = ARG_FLAGS(msg_bits);
const struct arg_type arg_sembufs = ARG_COUNTED(print_sembufs, 1, sizeof(struct sembuf), 126);
