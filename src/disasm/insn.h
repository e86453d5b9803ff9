/* SPDX-License-Identifier: GPL-2.0 */
/*
 * insn.h - one x86-64 instruction at a time, through Zydis
 *
 * Knows nothing of functions, paths or symbols: bytes in, facts out.
 */
#ifndef LBRSNOOP_DISASM_INSN_H
#define LBRSNOOP_DISASM_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSN_LEN_MAX  15
#define INSN_TEXT_MAX 160

/** enum insn_class - how an instruction hands on control */
enum insn_class {
	INSN_OTHER = 0, /* goes on to the next one */
	INSN_COND,	/* Jcc, LOOPcc, JRCXZ */
	INSN_JMP,	/* near relative */
	INSN_IJMP,	/* near indirect */
	INSN_CALL,	/* near relative */
	INSN_ICALL,	/* near indirect */
	INSN_RET,	/* near return */
	INSN_SYSCALL,	/* SYSCALL, SYSENTER */
	INSN_SYSRET,	/* SYSRET, SYSEXIT */
	INSN_IRET,
	INSN_INT, /* INT n, INT1, INT3 */
	INSN_HLT, /* waits, then goes on to the next one */
	INSN_UD,  /* UD0, UD1, UD2: always faults */
	INSN_FAR, /* far call, jump or return, RSM, UIRET */
	INSN_CLASS_COUNT,
};

/* bits of struct insn.flags */
#define INSN_F_NOP     (1u << 0) /* any length, XCHG %ax,%ax and PAUSE not counted */
#define INSN_F_ENDBR   (1u << 1)
#define INSN_F_REP     (1u << 2) /* string instruction that repeats itself */
#define INSN_F_INT3    (1u << 3) /* also what the kernel writes while it patches text */
#define INSN_F_WRMSR   (1u << 4)
#define INSN_F_ERR_MEM (1u << 5) /* @err is stored to memory, not to a register */

#define INSN_F_ERR_MAYBE (1u << 6) /* @err: "or $-1" or "and $-errno": may be a mask as well */
#define INSN_F_ERR_MASK	 (1u << 7) /* @err: "and $-errno": an errno only after INSN_F_ONES */
/* @err_reg is all ones or zero: SBB with itself, SAR by its width less one */
#define INSN_F_ONES    (1u << 8)
#define INSN_F_VMENTRY (1u << 9)  /* VMLAUNCH, VMRESUME: goes on elsewhere */
#define INSN_F_NOT     (1u << 10) /* NOT of @err_reg */

/* bits of struct insn.flags_read and .flags_written, the CPU's own positions */
#define INSN_CF (1u << 0)
#define INSN_PF (1u << 2)
#define INSN_ZF (1u << 6)
#define INSN_SF (1u << 7)
#define INSN_OF (1u << 11)

#define INSN_NO_REG 0xff

/**
 * struct insn - facts about one instruction
 * @addr: where it is
 * @target: where a direct branch goes; meaningful if @has_target
 * @class: how it hands on control
 * @has_target: direct branch (cond, jmp, call)
 * @len: bytes, 1 to 15
 * @err_reg: register that @err is loaded into, by the CPU's number (0 = rax ... 15 = r15), or
 *           INSN_NO_REG
 * @err: positive errno, 1 to 4095, whose negative is loaded as a constant; 0 if none is
 * @flags: INSN_F_* bits
 * @flags_read: condition flags it depends on (cond only)
 * @flags_written: condition flags it changes or leaves undefined
 */
struct insn {
	uint64_t addr;
	uint64_t target;
	enum insn_class class;
	bool has_target;
	uint8_t len;
	uint8_t err_reg;
	uint16_t err;
	uint16_t flags;
	uint16_t flags_read;
	uint16_t flags_written;
};

/** enum insn_syntax - how text is written */
enum insn_syntax {
	INSN_ATT = 0, /* as objdump and the kernel write it: je, %eax, $0x1 */
	INSN_INTEL,
};

/**
 * insn_decode() - decode the instruction at the start of @bytes
 * @bytes: may hold more than one instruction
 * @len: bytes that may be read
 * @addr: address that @bytes[0] runs at
 * @ret: set on success only
 * Return: 0; -ENODATA if @len ends inside the instruction; -EILSEQ if it is none.
 */
int insn_decode(const void *bytes, size_t len, uint64_t addr, struct insn *ret);

/**
 * insn_makes_errno() - does this instruction leave a constant negative errno somewhere?
 * @prev: the instruction executed before it, or NULL; @earlier: the one before that, or NULL
 * Return: true for a loaded constant, and for "sbb %eax,%eax; and $-22,%eax", with SAR instead of
 * SBB or with NOT between them; false for masks.
 */
bool insn_makes_errno(const struct insn *in, const struct insn *prev, const struct insn *earlier);

/** insn_loads_errno() - does it load a constant negative errno, certainly one, into a register? */
bool insn_loads_errno(const struct insn *in);

/** insn_falls_through() - can the next instruction in memory run after one of this class? */
bool insn_falls_through(enum insn_class class);

/** insn_goes_on() - the same, but that a function called, or the kernel entered, comes back */
bool insn_goes_on(enum insn_class class);

/**
 * typedef insn_name_fn - writes the name of a code address ("vfs_read+0x10")
 * Return: true if it knows one
 */
typedef bool insn_name_fn(void *ctx, uint64_t addr, char *buf, size_t len);

/**
 * insn_format() - the instruction as text, without address and bytes
 * @bytes: of the instruction
 * @len: bytes that may be read
 * @name: names the target of direct branches, or NULL: they are printed as 0x...
 * @buf: always NUL-terminated on return, cut off if @size is too small; INSN_TEXT_MAX is enough
 *       but for long symbol names
 * Return: 0; -ENODATA or -EILSEQ as insn_decode(), then @buf holds "(bad)".
 */
int insn_format(const void *bytes, size_t len, uint64_t addr, enum insn_syntax syntax,
		insn_name_fn *name, void *ctx, char *buf, size_t size);

/**
 * insn_condition() - what a conditional branch found, in words: "%eax < 0"
 * @setter: bytes of the instruction that set the flags the branch reads, NULL if not known
 * @setter_len: bytes that may be read
 * @setter_addr: where it is, for operands that are relative to it
 * @branch: bytes of the conditional branch
 * @taken: the words are what was true when the branch went this way
 * Return: 0; -ENOENT if there are no simple words for it, then @buf holds "".
 */
int insn_condition(const void *setter, size_t setter_len, uint64_t setter_addr, const void *branch,
		   size_t branch_len, bool taken, char *buf, size_t size);

/** enum insn_write - what an instruction does to a register */
enum insn_write {
	INSN_KEEPS = 0, /* nothing */
	INSN_SETS,	/* to a constant */
	INSN_COPIES,	/* from another register */
	INSN_CLOBBERS,	/* something else */
};

/**
 * insn_register_write() - what an instruction does to a general register
 * @len: bytes that may be read
 * @reg: number of the register, 0 (rax) to 15 (r15)
 * @ret_value: the constant, for INSN_SETS
 * @ret_from: number of the other register, for INSN_COPIES (the low 32 bits at least)
 * Return: enum insn_write; INSN_CLOBBERS if the bytes are no instruction. Calls count for
 * themselves, not for what the function called does.
 */
enum insn_write insn_register_write(const void *bytes, size_t len, uint8_t reg, uint64_t *ret_value,
				    uint8_t *ret_from);

/**
 * insn_register_read() - may the value of a general register go elsewhere by this instruction?
 * @reg: number of the register, 0 (rax) to 15 (r15)
 * Return: true if it is read, but for TEST and CMP, which keep nothing of it, and the idioms that
 * zero it; true if the bytes are no instruction.
 */
bool insn_register_read(const void *bytes, size_t len, uint8_t reg);

/**
 * insn_register_tested() - is it TEST or CMP of this register with itself or with a constant?
 * @reg: number of the register, 0 (rax) to 15 (r15)
 */
bool insn_register_tested(const void *bytes, size_t len, uint8_t reg);

/** insn_is_pop() - POP, LEAVE: takes back what was put on the stack */
bool insn_is_pop(const void *bytes, size_t len);

/** insn_reg_name() - "%rax" for 0 ... "%r15" for 15; "" for others */
const char *insn_reg_name(uint8_t reg);

#endif
