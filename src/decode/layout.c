// SPDX-License-Identifier: GPL-2.0
/* Tables only: each names the page it was taken from. Highest bits first, no gaps. */
#include "decode/layout.h"

#include "util/cleanup.h"

#define LAYOUT_OF(scope, name, table_, ...)                                                        \
	static const struct lbr_field name##_fields[] = {__VA_ARGS__};                             \
	scope const struct lbr_layout name = {                                                     \
		.fields = name##_fields,                                                           \
		.count = ARRAY_SIZE(name##_fields),                                                \
		.table = (table_),                                                                 \
	}
#define LAYOUT(name, ...) LAYOUT_OF(, name, __VA_ARGS__)

#define ADDR(hi)                                                                                   \
	{                                                                                          \
		(hi), 0, LBR_FIELD_ADDR, "Data", "branch address"                                  \
	}
#define SIGN_EXT(h, l)                                                                             \
	{                                                                                          \
		(h), (l), LBR_FIELD_SIGN_EXT, "SIGN_EXT", "copies of the address's top bit"        \
	}
#define MISPRED                                                                                    \
	{                                                                                          \
		63, 63, LBR_FIELD_MISPRED, "MISPRED", "target or direction was mispredicted"       \
	}
#define IN_TSX                                                                                     \
	{                                                                                          \
		62, 62, LBR_FIELD_IN_TX, "IN_TSX", "entry made inside a TSX region"                \
	}
#define TSX_ABORT                                                                                  \
	{                                                                                          \
		61, 61, LBR_FIELD_ABORT, "TSX_ABORT", "entry made by a TSX abort"                  \
	}
#define CYCLES(h, l)                                                                               \
	{                                                                                          \
		(h), (l), LBR_FIELD_CYCLES, "Cycle Count",                                         \
			"core clocks since the last entry, saturating"                             \
	}
#define RESERVED(h, l)                                                                             \
	{                                                                                          \
		(h), (l), LBR_FIELD_RESERVED, "Reserved", ""                                       \
	}
#define FLAG(bit, name, text)                                                                      \
	{                                                                                          \
		(bit), (bit), LBR_FIELD_FLAG, (name), (text)                                       \
	}

LAYOUT(layout_addr64, "Intel SDM vol. 3B, 17.4.8.1, formats 01H and 02H: 64-bit address, no flags",
       ADDR(63));

LAYOUT(layout_from_mispred, "Intel SDM vol. 3B, Table 17-8 \"MSR_LASTBRANCH_x_FROM_IP\"", MISPRED,
       SIGN_EXT(62, 48), ADDR(47));

LAYOUT(layout_from_tsx,
       "Intel SDM vol. 3B, Table 17-14 \"MSR_LASTBRANCH_x_FROM_IP with TSX Information\"", MISPRED,
       IN_TSX, TSX_ABORT, SIGN_EXT(60, 48), ADDR(47));

LAYOUT(layout_pair32,
       "Intel SDM vol. 3B, Figure 17-15 \"LBR Branch Record Layout for the Intel Core Solo and "
       "Intel Core Duo Processor\"",
       {63, 32, LBR_FIELD_TO32, "To Linear Address", "branch target"},
       {31, 0, LBR_FIELD_ADDR32, "From Linear Address", "branch source"});

LAYOUT(layout_addr32, "Intel SDM vol. 3B, \"Last Branch ... Recording (P6 Family Processors)\"",
       RESERVED(63, 32), {31, 0, LBR_FIELD_ADDR32, "Address", "32-bit offset"});

LAYOUT(layout_from_amd_v2, "AMD LbrExtV2, FROM register (Linux arch/x86/events/amd/lbr.c)", MISPRED,
       SIGN_EXT(62, 58), ADDR(57));

LAYOUT(layout_from_amd_brs, "AMD PPR Family 19H Model 01H, SAMP_BR_FROM (Linux amd/brs.c)",
       ADDR(63));

LAYOUT(layout_addr48, "Intel SDM vol. 3B, Table 17-9 \"MSR_LASTBRANCH_x_TO_IP\"", SIGN_EXT(63, 48),
       ADDR(47));

LAYOUT(layout_to_cycles, "Intel SDM vol. 3B, 17.4.8.1, format 06H (Linux intel/lbr.c)",
       CYCLES(63, 48), ADDR(47));

LAYOUT(layout_to_amd_v2, "AMD LbrExtV2, TO register (Linux arch/x86/events/amd/lbr.c)",
       {63, 63, LBR_FIELD_VALID, "valid", "the branch retired; see spec"},
       {62, 62, LBR_FIELD_SPEC, "spec",
	"with valid: 00 empty, 01 wrong path, 10 not speculative, 11 speculative and correct"},
       {61, 61, LBR_FIELD_BOGUS, "Reserved", "erratum 1452: set in entries that are no branch"},
       SIGN_EXT(60, 58), ADDR(57));

LAYOUT(layout_to_amd_brs, "AMD PPR Family 19H Model 01H, SAMP_BR_TO (Linux amd/brs.c)",
       RESERVED(63, 61), SIGN_EXT(60, 48), ADDR(47));

LAYOUT(layout_info_tsx, "Intel SDM vol. 3B, Table 17-16 \"MSR_LBR_INFO_x\"", MISPRED, IN_TSX,
       TSX_ABORT, RESERVED(60, 16), CYCLES(15, 0));

LAYOUT(layout_info, "Intel SDM vol. 3B, 17.4.8.1, format 07H (Linux intel/lbr.c)", MISPRED,
       RESERVED(62, 16), CYCLES(15, 0));

LAYOUT(layout_info_arch, "Intel SDM vol. 3B, \"Last Branch Records\", IA32_LBR_x_INFO", MISPRED,
       IN_TSX, TSX_ABORT,
       {60, 60, LBR_FIELD_CYCLES_VALID, "CYC_CNT_VALID", "Cycle Count means something"},
       {59, 56, LBR_FIELD_TYPE, "BR_TYPE",
	"0 cond, 1 ind. jmp, 2 jmp, 3 ind. call, 4 call, 5 ret, 8-15 other"},
       RESERVED(55, 40),
       {39, 32, LBR_FIELD_VALUE, "BR_CNTR",
	"2 bits for each counter, where CPUID.1CH:ECX[19:16] has it; else undefined"},
       RESERVED(31, 16), CYCLES(15, 0));

#define TOS_TABLE "Intel SDM vol. 3A, 16.4.8 \"LBR Stack\", Table 16-3, MSR_LASTBRANCH_TOS"
#define TOS_TEXT  "index of the newest entry"
#define TOS_FIELD(bits)                                                                            \
	RESERVED(63, bits),                                                                        \
	{                                                                                          \
		(bits) - 1, 0, LBR_FIELD_VALUE, "TOS", TOS_TEXT                                    \
	}

LAYOUT_OF(static, layout_tos, TOS_TABLE,
	  {63, 0, LBR_FIELD_VALUE, "TOS", TOS_TEXT ", modulo the size of the stack"});
LAYOUT_OF(static, layout_tos_4, TOS_TABLE, TOS_FIELD(2));
LAYOUT_OF(static, layout_tos_8, TOS_TABLE, TOS_FIELD(3));
LAYOUT_OF(static, layout_tos_16, TOS_TABLE, TOS_FIELD(4));
LAYOUT_OF(static, layout_tos_32, TOS_TABLE, TOS_FIELD(5));

const struct lbr_layout *lbr_layout_tos(uint32_t depth)
{
	switch (depth) {
	case 4:
		return &layout_tos_4;
	case 8:
		return &layout_tos_8;
	case 16:
		return &layout_tos_16;
	case 32:
		return &layout_tos_32;
	default:
		return &layout_tos;
	}
}

#define SELECT_BITS                                                                                \
	FLAG(8, "FAR_BRANCH", "do not capture far branches"),                                      \
		FLAG(7, "NEAR_REL_JMP", "do not capture near relative jumps"),                     \
		FLAG(6, "NEAR_IND_JMP", "do not capture near indirect jumps"),                     \
		FLAG(5, "NEAR_RET", "do not capture near returns"),                                \
		FLAG(4, "NEAR_IND_CALL", "do not capture near indirect calls"),                    \
		FLAG(3, "NEAR_REL_CALL", "do not capture near relative calls"),                    \
		FLAG(2, "JCC", "do not capture conditional branches"),                             \
		FLAG(1, "CPL_NEQ_0", "do not capture in ring > 0"),                                \
		FLAG(0, "CPL_EQ_0", "do not capture in ring 0")

LAYOUT(layout_select_nhm, "Intel SDM vol. 3B, Table 17-11 \"MSR_LBR_SELECT\" (Nehalem)",
       RESERVED(63, 9), SELECT_BITS);

LAYOUT(layout_select_hsw, "Intel SDM vol. 3B, Table 17-13 \"MSR_LBR_SELECT\" (Haswell)",
       RESERVED(63, 10), FLAG(9, "EN_CALLSTACK", "returns pop entries: the stack of calls is kept"),
       SELECT_BITS);

LAYOUT(layout_select_amd, "AMD LbrExtV2, LBR_SELECT (Linux arch/x86/events/amd/lbr.c)",
       RESERVED(63, 9), SELECT_BITS);

LAYOUT(layout_ctl_arch, "Intel SDM vol. 3B, \"Last Branch Records\", IA32_LBR_CTL",
       RESERVED(63, 23), FLAG(22, "OTHER_BRANCH", "capture all other branches"),
       FLAG(21, "NEAR_RET", "capture near returns"),
       FLAG(20, "NEAR_IND_CALL", "capture near indirect calls"),
       FLAG(19, "NEAR_REL_CALL", "capture near relative calls"),
       FLAG(18, "NEAR_IND_JMP", "capture near indirect jumps"),
       FLAG(17, "NEAR_REL_JMP", "capture near relative jumps"),
       FLAG(16, "COND", "capture conditional branches"), RESERVED(15, 4),
       FLAG(3, "CALL_STACK", "returns pop entries: the stack of calls is kept"),
       FLAG(2, "USR", "capture in ring > 0"), FLAG(1, "OS", "capture in ring 0"),
       FLAG(0, "LBREn", "recording is on"));

LAYOUT(layout_depth_arch, "Intel SDM vol. 3B, \"Last Branch Records\", IA32_LBR_DEPTH",
       {63, 0, LBR_FIELD_VALUE, "DEPTH", "entries in use, a multiple of 8"});

LAYOUT(layout_dbg_extn_cfg,
       "AMD DBG_EXTN_CFG (Linux arch/x86/events/amd/brs.c, include/asm/msr-index.h)",
       RESERVED(63, 27), {26, 24, LBR_FIELD_VALUE, "PMC", "counter that holds the BRS event"},
       RESERVED(23, 20), {19, 16, LBR_FIELD_VALUE, "MSROFF", "BRS: next entry to be written"},
       RESERVED(15, 7), FLAG(6, "LBRV2EN", "LbrExtV2 recording is on"),
       FLAG(5, "VB", "BRS: valid branches were recorded"),
       {4, 3, LBR_FIELD_VALUE, "Reserved", "must be 3"},
       FLAG(2, "BRSMEN", "BRS: branch sampling is on"), RESERVED(1, 0));

LAYOUT(layout_debugctl_core,
       "Intel SDM vol. 3B, Figure 17-14 \"IA32_DEBUGCTL MSR for Intel Core Solo and Intel Core Duo "
       "Processors\"",
       RESERVED(63, 9), FLAG(8, "BTINT", "interrupt when the BTS buffer is full"),
       FLAG(7, "BTS", "branch trace store"), FLAG(6, "TR", "branch trace messages"), RESERVED(5, 2),
       FLAG(1, "BTF", "single-step on branches"), FLAG(0, "LBR", "recording is on"));

LAYOUT(layout_debugctl, "Intel SDM vol. 4, IA32_DEBUGCTL", RESERVED(63, 16),
       FLAG(15, "RTM_DEBUG", "debug exceptions in RTM regions"),
       FLAG(14, "FREEZE_WHILE_SMM", "stop counting and tracing in SMM"),
       FLAG(13, "ENABLE_UNCORE_PMI", "uncore may raise interrupts"),
       FLAG(12, "FREEZE_PERFMON_ON_PMI", "counters stop at a counter interrupt"),
       FLAG(11, "FREEZE_LBRS_ON_PMI", "the LBR stops at a counter interrupt"),
       FLAG(10, "BTS_OFF_USR", "no BTS in ring > 0"), FLAG(9, "BTS_OFF_OS", "no BTS in ring 0"),
       FLAG(8, "BTINT", "interrupt when the BTS buffer is full"),
       FLAG(7, "BTS", "branch trace store"), FLAG(6, "TR", "branch trace messages"), RESERVED(5, 3),
       FLAG(2, "BLD", "bus-lock detection"), FLAG(1, "BTF", "single-step on branches"),
       FLAG(0, "LBR", "recording is on"));

LAYOUT(layout_perf_capabilities, "Intel SDM vol. 4, IA32_PERF_CAPABILITIES; vol. 3B, 17.4.8.1",
       {63, 6, LBR_FIELD_VALUE, "other", "PEBS and counter properties, no matter for the LBR"},
       {5, 0, LBR_FIELD_VALUE, "LBR_FMT", "format of the LBR: 00H to 07H, 3FH architectural"});

uint64_t lbr_field_get(const struct lbr_field *field, uint64_t value)
{
	unsigned int width = field->hi - field->lo + 1u;

	value >>= field->lo;
	return width < 64 ? value & ((UINT64_C(1) << width) - 1) : value;
}
