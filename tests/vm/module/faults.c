// SPDX-License-Identifier: GPL-2.0
/*
 * faults.c - a kernel module that makes the kernel's errors: /proc/faults-NAME, written to
 *
 * Built by tests/vm/module/build without the kernel's headers: what a module and the kernel must
 * agree on is read off a module that came with the kernel (THIS_MODULE_BYTES and so on), the rest
 * is declared here. Each error comes after some branches that are known to be taken.
 */
typedef unsigned char u8;
typedef unsigned long u64;
typedef long ssize;

/* include/linux/proc_fs.h; the members that follow are not needed */
struct proc_ops {
	unsigned int flags;
	void *open;
	void *read;
	void *read_iter;
	ssize (*write)(void *file, const char *from, u64 len, long *at);
	void *rest[8];
};

/* include/asm-generic/bug.h */
#define BUGFLAG_WARNING	    1
#define BUGFLAG_ONCE	    2
#define BUGFLAG_NO_CUT_HERE 8
#define BUG_ENTRY_BYTES	    12

extern void *proc_create(const char *name, unsigned short mode, void *parent,
			 const struct proc_ops *ops);
extern void remove_proc_entry(const char *name, void *parent);
extern int _printk(const char *fmt, ...);
extern void __warn_printk(const char *fmt, ...);
extern long schedule_timeout_uninterruptible(long ticks);
extern u64 _copy_from_user(void *to, const char *from, u64 len);
extern char *kstrdup(const char *text, unsigned int flags);
extern void kfree(const void *memory);
extern volatile u64 jiffies;
extern void _raw_spin_lock_bh(unsigned int *lock);
extern void _raw_spin_unlock_bh(unsigned int *lock);

/* As arch/x86/include/asm/bug.h lays it out, with both pointers relative to themselves. */
#define BUG_INSN(flags)                                                                            \
	asm volatile("1:	ud2\n"                                                                    \
		     "	.pushsection __bug_table, \"aw\"\n"                                         \
		     "2:	.long 1b - .\n"                                                           \
		     "	.long %c0 - .\n"                                                            \
		     "	.word %c1, %c2\n"                                                           \
		     "	.org 2b + %c3\n"                                                            \
		     "	.popsection"                                                                \
		     :                                                                             \
		     : "i"("faults.c"), "i"(__LINE__), "i"(flags), "i"(BUG_ENTRY_BYTES))

/* Taken and not taken in turn; then back through a return. */
static __attribute__((noinline)) u64 odd_ones(u64 count)
{
	u64 sum = 0;

	for (u64 i = 0; i < count; i++) {
		if (i & 1) {
			sum += i;
			asm volatile("" : "+r"(sum));
		}
	}
	return sum;
}

static __attribute__((noinline)) ssize fault_warn(void *file, const char *from, u64 len, long *at)
{
	if (odd_ones(40))
		BUG_INSN(BUGFLAG_WARNING);
	return (ssize)len;
}

static __attribute__((noinline)) ssize fault_warn_once(void *file, const char *from, u64 len,
						       long *at)
{
	if (odd_ones(40))
		BUG_INSN(BUGFLAG_WARNING | BUGFLAG_ONCE);
	return (ssize)len;
}

/* WARN(): the text is printed before the exception. */
static __attribute__((noinline)) ssize fault_warn_text(void *file, const char *from, u64 len,
						       long *at)
{
	if (odd_ones(40)) {
		__warn_printk("faults: a text of %d words\n", 5);
		BUG_INSN(BUGFLAG_WARNING | BUGFLAG_NO_CUT_HERE);
	}
	return (ssize)len;
}

static __attribute__((noinline)) ssize fault_bug(void *file, const char *from, u64 len, long *at)
{
	if (odd_ones(40))
		BUG_INSN(0);
	return (ssize)len;
}

static __attribute__((noinline)) ssize read_byte(u64 address, u64 len)
{
	if (odd_ones(40))
		return (ssize)len + 0 * *(volatile u8 *)address;
	return -1;
}

static ssize fault_null(void *file, const char *from, u64 len, long *at)
{
	return read_byte(0x30, len);
}

/* Where the kernel's half has nothing. */
static ssize fault_wild(void *file, const char *from, u64 len, long *at)
{
	return read_byte(0xffffbb0000000030, len);
}

/* No canonical address: general protection. */
static ssize fault_gp(void *file, const char *from, u64 len, long *at)
{
	return read_byte(0x6b6b6b6b6b6b6b6b, len);
}

static ssize fault_printk(void *file, const char *from, u64 len, long *at)
{
	if (odd_ones(40)) {
		_printk("\0016faults: only for information\n");
		odd_ones(40);
		_printk("\0013faults: an error, number %d\n", 7);
	}
	return (ssize)len;
}

#define HZ 250 /* of Debian's kernels */

/* Seconds in D state. */
static ssize fault_hang(void *file, const char *from, u64 len, long *at)
{
	schedule_timeout_uninterruptible((long)len * HZ);
	return (ssize)len;
}

/* include/linux/kfence.h; CONFIG_KFENCE_NUM_OBJECTS is 255 */
#define KFENCE_POOL_BYTES (256 * 2 * 4096)
#define GFP_KERNEL	  0xcc0

/*
 * Written to it is the address of __kfence_pool, eight bytes as they stand in memory. One
 * allocation in so many is KFENCE's: others are made until this is, for a minute at most; then it
 * is freed, and read.
 */
static ssize fault_freed(void *file, const char *from, u64 len, long *at)
{
	u64 end = jiffies + 60 * HZ, pool;

	if (len != sizeof(pool) || _copy_from_user(&pool, from, len))
		return -22; /* EINVAL */
	pool = *(volatile u64 *)pool;
	while ((long)(jiffies - end) < 0) {
		for (int i = 0; i < 1000; i++) {
			char *text = kstrdup("read when it is freed", GFP_KERNEL);
			u64 address = (u64)text;

			kfree(text);
			if (address - pool < KFENCE_POOL_BYTES)
				return read_byte(address, len);
		}
		schedule_timeout_uninterruptible(1);
	}
	return -62; /* ETIME */
}

static unsigned int loop_lock;

/* Seconds in which the scheduler is not called, and in which preemptible RCU has to wait as well.
 */
static ssize fault_loop(void *file, const char *from, u64 len, long *at)
{
	u64 end = jiffies + len * HZ;

	_raw_spin_lock_bh(&loop_lock);
	while ((long)(jiffies - end) < 0)
		odd_ones(10);
	_raw_spin_unlock_bh(&loop_lock);
	return (ssize)len;
}

static struct fault {
	const char *name;
	struct proc_ops ops;
} faults[] = {
	{"faults-warn", {.write = fault_warn}},
	{"faults-warn-once", {.write = fault_warn_once}},
	{"faults-warn-text", {.write = fault_warn_text}},
	{"faults-bug", {.write = fault_bug}},
	{"faults-null", {.write = fault_null}},
	{"faults-wild", {.write = fault_wild}},
	{"faults-gp", {.write = fault_gp}},
	{"faults-printk", {.write = fault_printk}},
	{"faults-freed", {.write = fault_freed}},
	{"faults-hang", {.write = fault_hang}},
	{"faults-loop", {.write = fault_loop}},
};

#define COUNT (sizeof(faults) / sizeof(faults[0]))

int init_module(void);
void cleanup_module(void);

int init_module(void)
{
	for (u64 i = 0; i < COUNT; i++)
		if (!proc_create(faults[i].name, 0200, 0, &faults[i].ops))
			return -12;
	return 0;
}

void cleanup_module(void)
{
	for (u64 i = 0; i < COUNT; i++)
		remove_proc_entry(faults[i].name, 0);
}

#define MODINFO(name, text)                                                                        \
	static const char modinfo_##name[]                                                         \
		__attribute__((used, section(".modinfo"), aligned(1))) = #name "=" text

MODINFO(license, "GPL");
MODINFO(name, "faults");
MODINFO(depends, "");
MODINFO(retpoline, "Y");
MODINFO(vermagic, VERMAGIC);

/* struct module_version_info */
static const struct {
	u64 crc;
	char name[56];
} versions[] __attribute__((used, section("__versions"))) = {
#include VERSIONS
};

/* struct module: the kernel fills in all but these. */
static struct {
	u8 before_name[24];
	char name[56];
	u8 before_init[INIT_OFFSET - 24 - 56];
	int (*init)(void);
	u8 before_exit[EXIT_OFFSET - INIT_OFFSET - 8];
	void (*exit)(void);
	u8 rest[THIS_MODULE_BYTES - EXIT_OFFSET - 8];
} this_module __attribute__((used, aligned(64), section(".gnu.linkonce.this_module"))) = {
	.name = "faults",
	.init = init_module,
	.exit = cleanup_module,
};
