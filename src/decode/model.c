// SPDX-License-Identifier: GPL-2.0
#include "decode/model.h"

#include "util/cleanup.h"

#define INTEL6(m)                                                                                  \
	{                                                                                          \
		6, (m), (m)                                                                        \
	}

/* CPUs of the rows. Names: Linux arch/x86/include/asm/intel-family.h. */
static const struct cpu_range p6_cpus[] = {
	INTEL6(0x01), INTEL6(0x03), INTEL6(0x05), INTEL6(0x06),
	INTEL6(0x07), INTEL6(0x08), INTEL6(0x0a), INTEL6(0x0b),
};
static const struct cpu_range pentium_m_cpus[] = {INTEL6(0x09), INTEL6(0x0d)};
static const struct cpu_range core_cpus[] = {INTEL6(0x0e)};
static const struct cpu_range core2_cpus[] = {INTEL6(0x0f), INTEL6(0x16), INTEL6(0x17),
					      INTEL6(0x1d)};
static const struct cpu_range atom_cpus[] = {INTEL6(0x1c), INTEL6(0x26), INTEL6(0x27), INTEL6(0x35),
					     INTEL6(0x36)};
static const struct cpu_range nehalem_cpus[] = {INTEL6(0x1a), INTEL6(0x1e), INTEL6(0x1f),
						INTEL6(0x2e)};
static const struct cpu_range westmere_cpus[] = {INTEL6(0x25), INTEL6(0x2c), INTEL6(0x2f)};
static const struct cpu_range sandybridge_cpus[] = {INTEL6(0x2a), INTEL6(0x2d)};
static const struct cpu_range ivybridge_cpus[] = {INTEL6(0x3a), INTEL6(0x3e)};
static const struct cpu_range haswell_cpus[] = {INTEL6(0x3c), INTEL6(0x3f), INTEL6(0x45),
						INTEL6(0x46)};
static const struct cpu_range broadwell_cpus[] = {INTEL6(0x3d), INTEL6(0x47), INTEL6(0x4f),
						  INTEL6(0x56)};
static const struct cpu_range skylake_cpus[] = {INTEL6(0x4e), INTEL6(0x5e), INTEL6(0x55),
						INTEL6(0x8e), INTEL6(0x9e), INTEL6(0xa5),
						INTEL6(0xa6), INTEL6(0x66)};
static const struct cpu_range icelake_cpus[] = {INTEL6(0x6a), INTEL6(0x6c), INTEL6(0x7d),
						INTEL6(0x7e), INTEL6(0x9d), INTEL6(0x8c),
						INTEL6(0x8d), INTEL6(0xa7)};
static const struct cpu_range silvermont_cpus[] = {INTEL6(0x37), INTEL6(0x4a), INTEL6(0x4c),
						   INTEL6(0x4d), INTEL6(0x5a), INTEL6(0x75)};
static const struct cpu_range knights_cpus[] = {INTEL6(0x57), INTEL6(0x85)};
static const struct cpu_range goldmont_cpus[] = {INTEL6(0x5c), INTEL6(0x5f)};
static const struct cpu_range goldmont_plus_cpus[] = {INTEL6(0x7a)};
static const struct cpu_range tremont_cpus[] = {INTEL6(0x86), INTEL6(0x96), INTEL6(0x9c)};
static const struct cpu_range netburst_cpus[] = {{0xf, 0, 2}};
static const struct cpu_range prescott_cpus[] = {{0xf, 3, 4}, {0xf, 6, 6}};
static const struct cpu_range sapphirerapids_cpus[] = {INTEL6(0x8f), INTEL6(0xcf), INTEL6(0xad),
						       INTEL6(0xae)};
static const struct cpu_range alderlake_cpus[] = {
	INTEL6(0x97), INTEL6(0x9a), INTEL6(0xb7), INTEL6(0xba), INTEL6(0xbf), INTEL6(0xaa),
	INTEL6(0xac), INTEL6(0xb5), INTEL6(0xc5), INTEL6(0xc6), INTEL6(0xbd), INTEL6(0xcc),
};
static const struct cpu_range gracemont_cpus[] = {INTEL6(0xbe), INTEL6(0xaf), INTEL6(0xb6),
						  INTEL6(0xdd)};
/* Linux arch/x86/kernel/cpu/amd.c tells Zen 3 from Zen 4 in family 19H by these ranges. */
static const struct cpu_range zen3_cpus[] = {{0x19, 0x00, 0x0f}, {0x19, 0x20, 0x5f}};
static const struct cpu_range zen4_cpus[] = {{0x19, 0x10, 0x1f}, {0x19, 0x60, 0xaf}};
static const struct cpu_range zen5_cpus[] = {{0x1a, 0x00, 0xff}};
static const struct cpu_range amd_single_cpus[] = {
	{0x06, 0x01, 0x0a}, {0x0f, 0x00, 0xff}, {0x10, 0x00, 0xff}, {0x11, 0x00, 0xff},
	{0x12, 0x00, 0xff}, {0x14, 0x00, 0xff}, {0x15, 0x00, 0xff}, {0x16, 0x00, 0xff},
	{0x17, 0x00, 0xff}, {0x18, 0x00, 0xff}};

#define CPUS(table) .cpus = (table), .cpu_count = ARRAY_SIZE(table)

#define FLAGS_TSX_INFO (LBR_HAS_MISPRED | LBR_HAS_CYCLES | LBR_HAS_TSX)
#define FLAGS_ARCH     (LBR_HAS_MISPRED | LBR_HAS_CYCLES | LBR_HAS_TSX | LBR_HAS_TYPE)

/* Pieces that several rows share */
#define TOS_1C9H .stride = 1, .order = LBR_ORDER_TOS, .msr_order = 0x1c9

#define PAIRS_40H    .msr_from = 0x40, .msr_to = 0x60, TOS_1C9H
#define PAIRS_680H   .msr_from = 0x680, .msr_to = 0x6c0, TOS_1C9H
#define TRIPLES_680H PAIRS_680H, .msr_info = 0xdc0

#define SELECT_NHM                                                                                 \
	.msr_select = 0x1c8, .select = LBR_SELECT_ALL, .select_layout = &layout_select_nhm
#define SELECT_HSW                                                                                 \
	.msr_select = 0x1c8, .select = LBR_SELECT_ALL | LBR_SELECT_CALLSTACK,                      \
	.select_layout = &layout_select_hsw

#define PAIRS_IN_ONE .from = &layout_pair32, .msr_to = MSR_LBR_NONE, .addr_bits = 32
#define FORMAT_03H                                                                                 \
	.format = 3, .from = &layout_from_mispred, .to = &layout_addr48,                           \
	.supported = LBR_HAS_MISPRED, .addr_bits = 48
#define FORMAT_04H                                                                                 \
	.format = 4, .from = &layout_from_tsx, .to = &layout_addr48,                               \
	.supported = LBR_HAS_MISPRED | LBR_HAS_TSX, .addr_bits = 48
#define FORMAT_05H                                                                                 \
	.format = 5, .from = &layout_addr48, .to = &layout_addr48, .info = &layout_info_tsx,       \
	.supported = FLAGS_TSX_INFO, .addr_bits = 48
#define FORMAT_06H                                                                                 \
	.format = 6, .from = &layout_from_mispred, .to = &layout_to_cycles,                        \
	.supported = LBR_HAS_MISPRED | LBR_HAS_CYCLES, .addr_bits = 48
#define FORMAT_07H                                                                                 \
	.format = 7, .from = &layout_addr48, .to = &layout_addr48, .info = &layout_info,           \
	.supported = LBR_HAS_MISPRED | LBR_HAS_CYCLES, .addr_bits = 48
#define FORMAT_UNKNOWN                                                                             \
	.format = LBR_FORMAT_NONE, .from = &layout_addr64, .to = &layout_addr64, .addr_bits = 48

#define ARCH_LBR                                                                                   \
	.format = LBR_FORMAT_ARCH, .msr_from = 0x1500, .msr_to = 0x1600, .msr_info = 0x1200,       \
	.stride = 1, .order = LBR_ORDER_NEWEST, .msr_select = 0x14ce,                              \
	.select = LBR_SELECT_ALL | LBR_SELECT_CALLSTACK, .select_layout = &layout_ctl_arch,        \
	.from = &layout_addr64, .to = &layout_addr64, .info = &layout_info_arch, .addr_bits = 57,  \
	.supported = FLAGS_ARCH,                                                                   \
	.errata = "CPUID.1CH says which flags and filters a CPU has, and the depth is whatever "   \
		  "MSR 14CFH holds."

#define AMD_V2                                                                                     \
	.vendor = CPU_VENDOR_AMD, .format = LBR_FORMAT_NONE, .depth = 16, .msr_from = 0xc0010300,  \
	.msr_to = 0xc0010301, .stride = 2, .order = LBR_ORDER_NEWEST, .msr_select = 0xc000010e,    \
	.select = LBR_SELECT_ALL, .select_layout = &layout_select_amd,                             \
	.from = &layout_from_amd_v2, .to = &layout_to_amd_v2, .addr_bits = 57,                     \
	.supported = LBR_HAS_MISPRED | LBR_HAS_SPEC, .live_since = "6.10",                         \
	.errata =                                                                                  \
		"FROM may be the instruction fused to the branch, before it: Linux corrects it "   \
		"in live snapshots by reading the text, a dump has it as recorded. Erratum 1452 "  \
		"(family 19H, models 10H to 1FH): entries that are no branches may be recorded; "  \
		"TO[61] is set in them."

/* bpf_get_branch_snapshot() came with it. */
#define LIVE_INTEL "5.16"

#define SDM_1748    "Intel SDM vol. 3B, 17.4.8.1"
#define LINUX_LBR   "Linux arch/x86/events/intel/lbr.c"
#define NHM_ERRATUM "LBR_SELECT: calls are recorded only if jumps are selected, too. "

static const struct lbr_model models[] = {
	{
		.name = "p6",
		.title = "P6 family (Pentium Pro, II, III)",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(p6_cpus),
		.msr_ler = 0x1dd,
		.format = LBR_FORMAT_NONE,
		.depth = 1,
		.msr_from = 0x1db,
		.msr_to = 0x1dc,
		.stride = 1,
		.order = LBR_ORDER_NEWEST,
		.from = &layout_addr32,
		.to = &layout_addr32,
		.addr_bits = 32,
		.errata = "",
		.source = "Intel SDM vol. 3B, Recording (P6 Family Processors): LastBranchFromIP, "
			  "LastBranchToIP. TO is 32 bits in a register of its own.",
	},
	{
		.name = "pentium_m",
		.title = "Pentium M",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(pentium_m_cpus),
		.msr_ler = 0x1dd,
		.depth = 8,
		.msr_from = 0x40,
		TOS_1C9H,
		PAIRS_IN_ONE,
		.format = LBR_FORMAT_NONE,
		.errata = "",
		.source = "Intel SDM vol. 3B, Recording (Pentium M Processors): 8 MSRs at 40H, the "
			  "record layout of Core Duo.",
	},
	{
		.name = "core",
		.title = "Core Solo, Core Duo",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(core_cpus),
		.msr_ler = 0x1dd,
		.depth = 8,
		.msr_from = 0x40,
		TOS_1C9H,
		PAIRS_IN_ONE,
		.format = LBR_FORMAT_NONE,
		.errata = "",
		.source = "Intel SDM vol. 3B, p. 17-36, Figure 17-15",
	},
	{
		.name = "core2",
		.title = "Core 2",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(core2_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 4,
		PAIRS_40H,
		FORMAT_UNKNOWN,
		.errata = "",
		.source = "Intel SDM vol. 3A (032US), p. 16-19, Table 16-3; 06_16H: " LINUX_LBR
			  ". The format is in IA32_PERF_CAPABILITIES; without it 64-bit addresses "
			  "without flags (Figure 16-4) are assumed.",
	},
	{
		.name = "atom",
		.title = "Atom (Bonnell, Saltwell)",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(atom_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 8,
		PAIRS_40H,
		FORMAT_UNKNOWN,
		.errata = "06_1CH before stepping 10: the LBR does not freeze on a counter "
			  "interrupt, Linux leaves it off.",
		.source = "Intel SDM vol. 3A (032US), p. 16-19, Table 16-3; vol. 3B, 17.5.1; "
			  "siblings "
			  "of 06_1CH: " LINUX_LBR ". Format as for Core 2.",
	},
	{
		.name = "nehalem",
		.title = "Nehalem",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(nehalem_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 16,
		PAIRS_680H,
		SELECT_NHM,
		FORMAT_03H,
		.quirks = LBR_QUIRK_CALL_NEEDS_JMP,
		.errata =
			NHM_ERRATUM "Manual 253668-032US (Table 16-6) describes MISPRED the other "
				    "way round; Table 17-8 of later ones and Linux agree.",
		.source = "Intel SDM vol. 3B, p. 17-28, Tables 17-8 to 17-11; " LINUX_LBR,
	},
	{
		.name = "westmere",
		.title = "Westmere",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(westmere_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 16,
		PAIRS_680H,
		SELECT_NHM,
		FORMAT_03H,
		.quirks = LBR_QUIRK_CALL_NEEDS_JMP,
		.errata = NHM_ERRATUM,
		.source = LINUX_LBR ", as Nehalem",
	},
	{
		.name = "sandybridge",
		.title = "Sandy Bridge",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(sandybridge_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 16,
		PAIRS_680H,
		SELECT_NHM,
		FORMAT_03H,
		.errata = "",
		.source = "Intel SDM vol. 3C, Table 35-18; Tables 17-8, 17-9; " LINUX_LBR,
	},
	{
		.name = "ivybridge",
		.title = "Ivy Bridge",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(ivybridge_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 16,
		PAIRS_680H,
		SELECT_NHM,
		FORMAT_03H,
		.errata = "",
		.source = LINUX_LBR ", as Sandy Bridge",
	},
	{
		.name = "haswell",
		.title = "Haswell",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(haswell_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 16,
		PAIRS_680H,
		SELECT_HSW,
		FORMAT_04H,
		.quirks = LBR_QUIRK_TSX_SIGN_EXT,
		.errata =
			"Without TSX, FROM[62:61] read 0 in recorded entries and as sign extension "
			"in restored ones. An abort may be recorded twice, the newer entry "
			"without TSX_ABORT: Linux leaves that one out of snapshots, a dump has "
			"both. In call-stack mode zero-length calls are not recorded.",
		.source = "Intel SDM vol. 3B, p. 17-30, Tables 17-13, 17-14, 17-9; " LINUX_LBR,
	},
	{
		.name = "broadwell",
		.title = "Broadwell",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(broadwell_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 16,
		PAIRS_680H,
		SELECT_HSW,
		FORMAT_04H,
		.quirks = LBR_QUIRK_TSX_SIGN_EXT,
		.errata =
			"Without TSX, FROM[62:61] read 0 in recorded entries and as sign extension "
			"in restored ones.",
		.source = LINUX_LBR ", as Haswell",
	},
	{
		.name = "skylake",
		.title = "Skylake, Kaby Lake, Comet Lake, Cannon Lake",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(skylake_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 32,
		TRIPLES_680H,
		SELECT_HSW,
		FORMAT_05H,
		.errata = "",
		.source = "Intel SDM vol. 3B, p. 17-31, Tables 17-15, 17-16 (06_4EH, 06_5EH); "
			  "others: " LINUX_LBR,
	},
	{
		.name = "icelake",
		.title = "Ice Lake, Tiger Lake, Rocket Lake",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(icelake_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 32,
		TRIPLES_680H,
		SELECT_HSW,
		.format = 5,
		.from = &layout_addr64,
		.to = &layout_addr64,
		.info = &layout_info_tsx,
		.supported = FLAGS_TSX_INFO,
		.addr_bits = 57,
		.errata = "",
		.source = LINUX_LBR ", as Skylake; with 5-level paging an address has 57 bits, so "
				    "Table 17-9's sign extension from bit 47 is not applied",
	},
	{
		.name = "silvermont",
		.title = "Atom (Silvermont, Airmont)",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(silvermont_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 8,
		PAIRS_40H,
		SELECT_NHM,
		FORMAT_UNKNOWN,
		.quirks = LBR_QUIRK_CALL_NEEDS_JMP,
		.errata = NHM_ERRATUM "(Linux treats Silvermont as Nehalem here.)",
		.source = "Intel SDM vol. 3B, 17.5.2; " LINUX_LBR ". The format is in "
			  "IA32_PERF_CAPABILITIES; without it no flags are assumed.",
	},
	{
		.name = "knights",
		.title = "Xeon Phi (Knights Landing, Knights Mill)",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(knights_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 8,
		PAIRS_680H,
		SELECT_NHM,
		FORMAT_03H,
		.quirks = LBR_QUIRK_LIP_HAS_FLAGS,
		.errata = "IA32_PERF_CAPABILITIES says 01H, MISPRED is there all the same.",
		.source = LINUX_LBR,
	},
	{
		.name = "goldmont",
		.title = "Atom (Goldmont)",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(goldmont_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 32,
		PAIRS_680H,
		SELECT_HSW,
		FORMAT_06H,
		.errata = "",
		.source = "Intel SDM vol. 3B, Recording (Goldmont); " LINUX_LBR,
	},
	{
		.name = "goldmont_plus",
		.title = "Atom (Goldmont Plus)",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(goldmont_plus_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 32,
		TRIPLES_680H,
		SELECT_HSW,
		FORMAT_07H,
		.errata = "",
		.source = LINUX_LBR " (format 07H)",
	},
	{
		.name = "tremont",
		.title = "Atom (Tremont)",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(tremont_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 32,
		TRIPLES_680H,
		SELECT_HSW,
		FORMAT_07H,
		.errata = "",
		.source = LINUX_LBR " (format 07H)",
	},
	{
		.name = "netburst",
		.title = "Pentium 4, Xeon (NetBurst), models 0 to 2",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(netburst_cpus),
		.msr_ler = 0x1d7,
		.depth = 4,
		.msr_from = 0x1db,
		.stride = 1,
		.order = LBR_ORDER_TOS,
		.msr_order = MSR_NETBURST_TOS,
		.format = LBR_FORMAT_NONE,
		.from = &layout_pair32,
		.addr_bits = 32,
		.errata = "",
		.source =
			"Intel SDM vol. 3A (032US), Table 16-10 and 16.4.8.2: TO in the high half, "
			"FROM in the low half of each MSR",
	},
	{
		.name = "prescott",
		.title = "Pentium 4, Xeon (NetBurst), models 3, 4, 6",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(prescott_cpus),
		.msr_ler = 0x1d7,
		.depth = 16,
		.msr_from = 0x680,
		.msr_to = 0x6c0,
		.stride = 1,
		.order = LBR_ORDER_TOS,
		.msr_order = MSR_NETBURST_TOS,
		.format = LBR_FORMAT_NONE,
		.from = &layout_addr64,
		.to = &layout_addr64,
		.addr_bits = 48,
		.errata = "",
		.source =
			"Intel SDM vol. 3A (032US), Table 16-10; vol. 3C, Table 35-41 (680H-68FH, "
			"6C0H-6CFH, TOS 1DAH)",
	},
	{
		.name = "sapphirerapids",
		.title = "Sapphire, Emerald, Granite Rapids (architectural LBR)",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(sapphirerapids_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 32,
		ARCH_LBR,
		.source = "Intel SDM vol. 3B, \"Last Branch Records\"; " LINUX_LBR,
	},
	{
		.name = "alderlake",
		.title = "Alder, Raptor, Meteor, Arrow, Lunar, Panther Lake (architectural LBR)",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(alderlake_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 32,
		ARCH_LBR,
		.source = "Intel SDM vol. 3B, \"Last Branch Records\"; " LINUX_LBR
			  "; core types may differ: CPUID of the core decides",
	},
	{
		.name = "gracemont",
		.title = "Gracemont, Crestmont, Darkmont (architectural LBR)",
		.vendor = CPU_VENDOR_INTEL,
		CPUS(gracemont_cpus),
		.msr_ler = 0x1dd,
		.live_since = LIVE_INTEL,
		.depth = 32,
		ARCH_LBR,
		.source = "Intel SDM vol. 3B, \"Last Branch Records\"; " LINUX_LBR
			  "; depth 32 not confirmed for each",
	},
	{
		.name = "zen3",
		.title = "AMD Zen 3, Branch Sampling (BRS)",
		.vendor = CPU_VENDOR_AMD,
		CPUS(zen3_cpus),
		.msr_ler = 0x1dd,
		.format = LBR_FORMAT_NONE,
		.depth = 16,
		.msr_from = 0xc0010300,
		.msr_to = 0xc0010301,
		.stride = 2,
		.order = LBR_ORDER_BRS,
		.msr_order = MSR_AMD_DBG_EXTN_CFG,
		.from = &layout_from_amd_brs,
		.to = &layout_to_amd_brs,
		.addr_bits = 48,
		.errata =
			"Filled once per sampling interrupt, not a ring: no snapshot at will. "
			"Linux marks its own limit with a TO of FFFFFFFFFFFFFFFEH. Not every Zen 3 "
			"has it: CPUID.80000008H:EBX[31].",
		.source = "Linux arch/x86/events/amd/brs.c, after AMD PPR Family 19H Model 01H",
	},
	{
		.name = "zen4",
		.title = "AMD Zen 4 (LbrExtV2)",
		CPUS(zen4_cpus),
		.msr_ler = 0x1dd,
		AMD_V2,
		.source = "Linux arch/x86/events/amd/lbr.c; CPUID.80000022H:EBX[9:4] has the depth",
	},
	{
		.name = "zen5",
		.title = "AMD Zen 5 and later (LbrExtV2)",
		CPUS(zen5_cpus),
		.msr_ler = 0x1dd,
		AMD_V2,
		.source = "Linux arch/x86/events/amd/lbr.c; CPUID.80000022H:EBX[9:4] has the depth",
	},
	{
		.name = "amd_single",
		.title = "AMD K7 to Zen 2, Hygon: one entry",
		.vendor = CPU_VENDOR_AMD,
		CPUS(amd_single_cpus),
		.msr_ler = 0x1dd,
		.format = LBR_FORMAT_NONE,
		.depth = 1,
		.msr_from = 0x1db,
		.msr_to = 0x1dc,
		.stride = 1,
		.order = LBR_ORDER_NEWEST,
		.from = &layout_addr64,
		.to = &layout_addr64,
		.addr_bits = 48,
		.errata = "Linux has no perf driver for it: raw dumps only.",
		.source = "AMD APM vol. 2, control-transfer recording: LastBranchFromIP, "
			  "LastBranchToIP; flags in upper bits are not known to the author",
	},
	/* Bare formats: layout by IA32_PERF_CAPABILITIES[5:0], MSR numbers of the CPUs that had it
	 */
	{
		.name = "format-00h",
		.title = "format 00H: 32-bit records",
		.msr_from = 0x40,
		TOS_1C9H,
		PAIRS_IN_ONE,
		.format = 0,
		.errata = "",
		.source = SDM_1748 "; FROM and TO halves: 16.4.8.2 of 253668-032US",
	},
	{
		.name = "format-01h",
		.title = "format 01H: 64-bit linear addresses",
		.format = 1,
		PAIRS_40H,
		.from = &layout_addr64,
		.to = &layout_addr64,
		.addr_bits = 48,
		.quirks = LBR_QUIRK_BASE_UNKNOWN,
		.errata = "",
		.source = SDM_1748,
	},
	{
		.name = "format-02h",
		.title = "format 02H: 64-bit offsets (EIP)",
		.format = 2,
		PAIRS_40H,
		.from = &layout_addr64,
		.to = &layout_addr64,
		.addr_bits = 48,
		.quirks = LBR_QUIRK_BASE_UNKNOWN,
		.errata = "",
		.source = SDM_1748 "; in flat segments an offset is the linear address",
	},
	{
		.name = "format-03h",
		.title = "format 03H: 64-bit offsets, MISPRED in FROM",
		PAIRS_680H,
		SELECT_NHM,
		FORMAT_03H,
		.quirks = LBR_QUIRK_BASE_UNKNOWN,
		.errata = "",
		.source = SDM_1748 ", Tables 17-8, 17-9",
	},
	{
		.name = "format-04h",
		.title = "format 04H: 64-bit offsets, MISPRED and TSX in FROM",
		PAIRS_680H,
		SELECT_HSW,
		FORMAT_04H,
		.quirks = LBR_QUIRK_TSX_SIGN_EXT,
		.errata = "Without TSX, FROM[62:61] mean nothing.",
		.source = SDM_1748 ", Tables 17-14, 17-9",
	},
	{
		.name = "format-05h",
		.title = "format 05H: 64-bit offsets, LBR_INFO with MISPRED, TSX, cycles",
		TRIPLES_680H,
		SELECT_HSW,
		FORMAT_05H,
		.errata = "",
		.source = SDM_1748 ", Tables 17-9, 17-16",
	},
	{
		.name = "format-06h",
		.title = "format 06H: 64-bit linear addresses, MISPRED in FROM, cycles in TO",
		PAIRS_680H,
		SELECT_HSW,
		FORMAT_06H,
		.errata = "",
		.source = SDM_1748 " of later editions; " LINUX_LBR,
	},
	{
		.name = "format-07h",
		.title = "format 07H: 64-bit linear addresses, LBR_INFO with MISPRED, cycles",
		TRIPLES_680H,
		SELECT_HSW,
		FORMAT_07H,
		.errata = "",
		.source = SDM_1748 " of later editions; " LINUX_LBR,
	},
	{
		.name = "format-3fh",
		.title = "format 3FH: architectural LBR",
		ARCH_LBR,
		.source = "Intel SDM vol. 3B, \"Last Branch Records\"; " LINUX_LBR,
	},
};

const struct lbr_model *lbr_models(size_t *ret_count)
{
	*ret_count = ARRAY_SIZE(models);
	return models;
}
