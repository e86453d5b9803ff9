// SPDX-License-Identifier: GPL-2.0
#include "decode/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/model.h"
#include "decode/stack.h"
#include "util/cleanup.h"

/**
 * struct register_kind - name and layout of a register
 * @name: what stands in front of the entry's number
 * @behind: what stands behind it; NULL: the register has no number
 * @layout: its fields; NULL: not a register of the LBR
 */
struct register_kind {
	const char *name;
	const char *behind;
	const struct lbr_layout *layout;
};

static struct register_kind entry_kind(const struct lbr_model *model, bool from)
{
	const struct lbr_layout *layout = from ? model->from : model->to;

	if (model->format == LBR_FORMAT_ARCH)
		return (struct register_kind){"IA32_LBR_", from ? "_FROM_IP" : "_TO_IP", layout};
	if (model->depth == 1)
		return (struct register_kind){from ? "LastBranchFromIP" : "LastBranchToIP", NULL,
					      layout};
	if (model->vendor == CPU_VENDOR_AMD)
		return (struct register_kind){from ? "SAMP_BR_FROM_" : "SAMP_BR_TO_", "", layout};
	if (model->msr_to == MSR_LBR_NONE)
		return (struct register_kind){"MSR_LASTBRANCH_", "", layout};
	return (struct register_kind){"MSR_LASTBRANCH_", from ? "_FROM_IP" : "_TO_IP", layout};
}

/* P6 and AMD call it LastException..., architectural LBR IA32_LER_..., all others MSR_LER_... */
static struct register_kind ler_kind(const struct lbr_model *model, bool from)
{
	const struct lbr_layout *layout = model->addr_bits == 32 ? &layout_addr32 : &layout_addr64;

	if (model->format == LBR_FORMAT_ARCH)
		return (struct register_kind){from ? "IA32_LER_FROM_IP" : "IA32_LER_TO_IP", NULL,
					      layout};
	if (model->depth == 1 || model->vendor == CPU_VENDOR_AMD)
		return (struct register_kind){from ? "LastExceptionFromIP" : "LastExceptionToIP",
					      NULL, layout};
	return (struct register_kind){from ? "MSR_LER_FROM_LIP" : "MSR_LER_TO_LIP", NULL, layout};
}

static struct register_kind kind_of(const struct lbr_model *model, enum lbr_role role)
{
	bool arch = model->format == LBR_FORMAT_ARCH;

	switch (role) {
	case LBR_ROLE_FROM:
	case LBR_ROLE_TO:
		return entry_kind(model, role == LBR_ROLE_FROM);
	case LBR_ROLE_INFO:
		return (struct register_kind){arch ? "IA32_LBR_" : "MSR_LBR_INFO_",
					      arch ? "_INFO" : "", model->info};
	case LBR_ROLE_ORDER:
		if (model->order == LBR_ORDER_BRS)
			return (struct register_kind){"DBG_EXTN_CFG", NULL, &layout_dbg_extn_cfg};
		return (struct register_kind){"MSR_LASTBRANCH_TOS", NULL,
					      lbr_layout_tos(model->depth)};
	case LBR_ROLE_SELECT:
		return (struct register_kind){arch ? "IA32_LBR_CTL" : "MSR_LBR_SELECT", NULL,
					      model->select_layout};
	case LBR_ROLE_DEPTH:
		return (struct register_kind){"IA32_LBR_DEPTH", NULL, &layout_depth_arch};
	case LBR_ROLE_CAPABILITIES:
		return (struct register_kind){"IA32_PERF_CAPABILITIES", NULL,
					      &layout_perf_capabilities};
	case LBR_ROLE_LER_FROM:
	case LBR_ROLE_LER_TO:
		return ler_kind(model, role == LBR_ROLE_LER_FROM);
	case LBR_ROLE_NONE:
		break;
	}
	return (struct register_kind){NULL, NULL, NULL};
}

int msr_explain(const struct lbr_model *model, uint32_t msr, char *ret_name, size_t len,
		const struct lbr_layout **ret_layout)
{
	uint32_t index;
	enum lbr_role role = lbr_msr_role(model, msr, &index);
	struct register_kind kind = kind_of(model, role);

	/* Not of the stack, but it switches the stack on; laid out so from Core 2 on */
	if (msr == MSR_DEBUGCTL && model->vendor != CPU_VENDOR_AMD && model->addr_bits > 32 &&
	    model->msr_order != MSR_NETBURST_TOS)
		kind = (struct register_kind){"IA32_DEBUGCTL", NULL, &layout_debugctl};
	else if (msr == MSR_DEBUGCTL && !strcmp(model->name, "core"))
		kind = (struct register_kind){"IA32_DEBUGCTL", NULL, &layout_debugctl_core};
	if (msr == MSR_AMD_DBG_EXTN_CFG && model->from == &layout_from_amd_v2)
		kind = (struct register_kind){"DBG_EXTN_CFG", NULL, &layout_dbg_extn_cfg};
	if (kind.behind && model->depth && index >= model->depth &&
	    model->format != LBR_FORMAT_ARCH)
		kind.layout = NULL; /* behind the last entry: not of the LBR */
	if (!kind.layout)
		return -ENOENT;
	if (kind.behind)
		snprintf(ret_name, len, "%s%u%s", kind.name, index, kind.behind);
	else
		snprintf(ret_name, len, "%s", kind.name);
	*ret_layout = kind.layout;
	return 0;
}

/* @value: the whole register; the bit that was copied is the one below the field */
static const char *sign_words(const struct lbr_field *field, uint64_t value)
{
	uint64_t bits = lbr_field_get(field, value), all = lbr_field_get(field, ~UINT64_C(0));

	if (bits == (value >> (field->lo - 1) & 1 ? all : 0))
		return bits ? "set" : "clear";
	return "not so: no canonical address";
}

const char *field_explain(const struct lbr_field *field, uint64_t value, char *buf, size_t len)
{
	static const char *const types[16] = {
		"COND",
		"near indirect JMP",
		"near direct JMP",
		"near indirect CALL",
		"near direct CALL",
		"near RET",
		"reserved",
		"reserved",
		"other",
		"other",
		"other",
		"other",
		"other",
		"other",
		"other",
		"other",
	};
	uint64_t bits = lbr_field_get(field, value);
	unsigned int shift = 63u - field->hi;

	buf[0] = '\0';
	switch ((enum lbr_field_kind)field->kind) {
	case LBR_FIELD_ADDR:
		bits = (uint64_t)((int64_t)(bits << shift) >> shift);
		snprintf(buf, len, "address 0x%" PRIx64, bits);
		break;
	case LBR_FIELD_ADDR32:
	case LBR_FIELD_TO32:
		snprintf(buf, len, "address 0x%" PRIx64, bits);
		break;
	case LBR_FIELD_CYCLES:
		snprintf(buf, len, "%" PRIu64 " core clocks%s", bits,
			 bits == 0xffff ? " or more" : "");
		break;
	case LBR_FIELD_MISPRED:
		snprintf(buf, len, bits ? "mispredicted" : "predicted");
		break;
	case LBR_FIELD_TYPE:
		snprintf(buf, len, "%s", types[bits & 0xf]);
		break;
	case LBR_FIELD_RESERVED:
		snprintf(buf, len, "%s", bits ? "not 0: is the model right?" : "");
		break;
	case LBR_FIELD_VALUE:
		snprintf(buf, len, "%" PRIu64, bits);
		break;
	case LBR_FIELD_BOGUS:
		snprintf(buf, len, bits ? "set: this is no branch" : "clear");
		break;
	case LBR_FIELD_SIGN_EXT:
		snprintf(buf, len, "%s", sign_words(field, value));
		break;
	case LBR_FIELD_ABORT:
	case LBR_FIELD_IN_TX:
	case LBR_FIELD_CYCLES_VALID:
	case LBR_FIELD_SPEC:
	case LBR_FIELD_VALID:
	case LBR_FIELD_FLAG:
		snprintf(buf, len, bits ? "set" : "clear");
		break;
	}
	return buf;
}
