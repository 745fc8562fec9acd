#include "analyzer/code/vector_config.h"

#include "analyzer/code/form.h"

#include <assert.h>
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

enum { LEAST_LMUL = -3, MOST_LMUL = 3, LEAST_BITS = 8, MOST_BITS = 64 };
static const unsigned most_registers = 8; // of a group

// ---- pairs and names

static int log2_of(unsigned number) {
    int n = 0;
    while (number >> (n + 1))
        n++;
    return n;
}

// A group must hold an element of 64 bits for each 64 bits of a register: SEW / LMUL is at most 64.
static bool is_pair(unsigned sew, int lmul) {
    return lmul >= LEAST_LMUL && lmul <= MOST_LMUL && log2_of(sew) - lmul <= log2_of(MOST_BITS);
}

struct vector_config vector_config_pair(unsigned number) {
    for (unsigned sew = LEAST_BITS; sew <= MOST_BITS; sew *= 2)
        for (int lmul = LEAST_LMUL; lmul <= MOST_LMUL; lmul++)
            if (is_pair(sew, lmul) && number-- == 0)
                return (struct vector_config){.sew = sew, .lmul = lmul};
    assert(false);
    return (struct vector_config){0};
}

static const char *const lengths[VECTOR_N_LENGTHS] = {"", "half", "odd", "one"}, *const orders[VECTOR_N_ORDERS] = {
                                                                                     "", "ascending", "line", "spread"};

// Sets a field to the number of a word among several, of which the first is empty. False: it is not among them, or the
// field is set.
static bool take_word(const char *const *words, size_t n, struct slice word, unsigned *field) {
    for (unsigned i = 1; i < n && !*field; i++)
        if (slice_is(word, words[i])) {
            *field = i;
            return true;
        }
    return false;
}

// "e32m2"; the end of it in `end`.
static bool parse_pair(const char *text, struct vector_config *config, const char **end) {
    char *after;
    if (*text != 'e' || !isdigit((unsigned char)text[1]))
        return false;
    unsigned long sew = strtoul(text + 1, &after, 10);
    if (*after != 'm')
        return false;
    bool is_part = after[1] == 'f';
    const char *number = after + 1 + is_part;
    unsigned long registers = isdigit((unsigned char)*number) ? strtoul(number, &after, 10) : 0;
    bool is_known = (sew == 8 || sew == 16 || sew == 32 || sew == 64) &&
                    (registers == 2 || registers == 4 || registers == 8 || (registers == 1 && !is_part));
    config->sew = (unsigned)sew;
    config->lmul = is_known ? (is_part ? -1 : 1) * log2_of((unsigned)registers) : 0;
    *end = after;
    return is_known && is_pair(config->sew, config->lmul);
}

// "-half-tu-mask": each word at most once, in any order.
static bool parse_words(const char *text, struct vector_config *config) {
    unsigned of_length = 0, of_order = 0;
    while (*text == '-') {
        size_t length = strcspn(++text, "-");
        struct slice word = {text, length};
        bool *flag = slice_is(word, "tu")     ? &config->keeps_tail
                     : slice_is(word, "mu")   ? &config->keeps_masked_off
                     : slice_is(word, "mask") ? &config->has_mask
                                              : NULL;
        if (flag ? *flag
                 : !take_word(lengths, VECTOR_N_LENGTHS, word, &of_length) &&
                       !take_word(orders, VECTOR_N_ORDERS, word, &of_order))
            return false;
        if (flag)
            *flag = true;
        text += length;
    }
    config->length = (enum vector_length)of_length;
    config->order = (enum vector_order)of_order;
    return !*text;
}

bool vector_config_parse(const char *text, struct vector_config *config) {
    const char *end;
    *config = (struct vector_config){0};
    return parse_pair(text, config, &end) && parse_words(end, config);
}

void vector_config_print_pair(const struct vector_config *config, struct text *out) {
    text_addf(out, "e%um%s%u", config->sew, config->lmul < 0 ? "f" : "", 1U << abs(config->lmul));
}

void vector_config_print(const struct vector_config *config, struct text *out) {
    vector_config_print_pair(config, out);
    if (config->length)
        text_addf(out, "-%s", lengths[config->length]);
    if (config->order)
        text_addf(out, "-%s", orders[config->order]);
    text_addf(out, "%s%s%s", config->keeps_tail ? "-tu" : "", config->keeps_masked_off ? "-mu" : "",
              config->has_mask ? "-mask" : "");
}

bool vector_config_is_same(const struct vector_config *a, const struct vector_config *b) {
    return a->sew == b->sew && a->lmul == b->lmul && a->keeps_tail == b->keeps_tail &&
           a->keeps_masked_off == b->keeps_masked_off && a->has_mask == b->has_mask && a->length == b->length &&
           a->order == b->order;
}

struct vector_config vector_config_of_partners(const struct vector_config *config) {
    struct vector_config own = *config;
    own.has_mask = false;
    own.order = VECTOR_SAME;
    return own;
}

bool vector_config_is_among(const struct vector_config *configs, size_t n, const struct vector_config *config) {
    for (size_t i = 0; i < n; i++)
        if (vector_config_is_same(&configs[i], config))
            return true;
    return false;
}

bool vector_config_add(struct arena *arena, struct vector_config **configs, size_t *n,
                       const struct vector_config *config) {
    if (vector_config_is_among(*configs, *n, config))
        return false;
    *ARENA_ADD(arena, *configs, *n) = *config;
    return true;
}

const char *vector_config_in_name(const char *form, struct vector_config *config) {
    struct vector_config unused;
    const char *dash = strchr(form, '-');
    return dash && vector_config_parse(dash + 1, config ? config : &unused) ? dash + 1 : NULL;
}

const char *vector_config_unit(struct arena *arena, const char *opcode, const struct vector_config *config) {
    struct text name = {.arena = arena};
    text_addf(&name, "%s-", opcode);
    vector_config_print_pair(config, &name);
    return name.data;
}

unsigned vector_config_registers(const struct vector_config *config) {
    return config->lmul > 0 ? 1U << config->lmul : 1;
}

// ---- set-up

static const char *type_of(struct arena *arena, const struct vector_config *config) {
    return arena_printf(arena, "e%u, m%s%u, t%s, m%s", config->sew, config->lmul < 0 ? "f" : "",
                        1U << abs(config->lmul), config->keeps_tail ? "u" : "a", config->keeps_masked_off ? "u" : "a");
}

// Half of an odd number is rounded up, and one less than one is one: no length is zero, whatever VLMAX is.
const char *vector_config_setup(struct arena *arena, const struct vector_config *config) {
    static const char *const changes[VECTOR_N_LENGTHS] = {
        [VECTOR_HALF] = "addi x31, x31, 1; srli x31, x31, 1", [VECTOR_ODD] = "addi x31, x31, -1; ori x31, x31, 1"};
    const char *type = type_of(arena, config);
    if (config->length == VECTOR_ONE)
        return arena_printf(arena, "vsetivli x31, 1, %s", type);
    if (!changes[config->length])
        return arena_printf(arena, "vsetvli x31, x0, %s", type);
    return arena_printf(arena, "vsetvli x31, x0, %s; %s; vsetvli x0, x31, %s", type, changes[config->length], type);
}

unsigned vector_config_setup_bytes(const struct vector_config *config, uint8_t code[VECTOR_MOST_SETUP_BYTES]) {
    // The manual's formats: vtype's fields, vsetvli, vsetivli; addi, ori and srli of x31.
    const uint32_t type = (uint32_t)!config->keeps_masked_off << 7 | (uint32_t)!config->keeps_tail << 6 |
                          (uint32_t)(log2_of(config->sew) - log2_of(LEAST_BITS)) << 3 | ((uint32_t)config->lmul & 7),
                   to_x31 = 0x00007fd7 | type << 20, from_x31 = 0x000ff057 | type << 20, one = 0xc000ffd7 | type << 20;
    const uint32_t all[VECTOR_N_LENGTHS][4] = {[VECTOR_WHOLE] = {to_x31},
                                               [VECTOR_HALF] = {to_x31, 0x001f8f93, 0x001fdf93, from_x31},
                                               [VECTOR_ODD] = {to_x31, 0xffff8f93, 0x001fef93, from_x31},
                                               [VECTOR_ONE] = {one}};
    unsigned n = 0;
    for (unsigned i = 0; i < 4 && all[config->length][i]; i++)
        for (unsigned byte = 0; byte < 4; byte++)
            code[n++] = (uint8_t)(all[config->length][i] >> 8 * byte);
    return n;
}

// ---- what a form has of it

// Operands in LLVM's order, without those that are tied to others, the mask, and what is no vector:
//  v: of the configuration's elements and group; w: both twice as large; h, q, e: a half, a quarter, an eighth of both
//  1: one register, a mask or an element; i: elements of 16 bits; m: elements of the width that the opcode's name has
//  s: the same in a list, whose length is in the name; d: a list of the configuration's groups
// Sizes: bits that an element may have, ORed: all of them are powers of two. 0: any.
static const struct rule {
    const char *opcodes;  // patterns of LLVM's names, separated by blanks
    const char *operands; // "": a whole register or several, whatever the configuration
    unsigned sizes;
} rules[] = {
    {"VSET* VMV[1248]R_V VL[1248]RE*_V VS[1248]R_V", "", 0},
    {"VLM_V VSM_V", "1", 0},
    {"V[LS]SEG* V[LS]SSEG*", "s", 0},
    {"V[LS][UO]XSEG*", "dm", 0},
    {"V[LS][UO]XEI*", "vm", 0},
    {"VLE*_V VSE[1368]*_V VLSE*_V VSSE*_V", "m", 0},
    {"VFWMACCBF16_V?", "wvv", 16},
    {"VFNCVTBF16*_W", "vw", 16},
    {"VFWCVTBF16*_V", "wv", 16},
    {"VQDOT*", "vvv", 32},
    {"VAES*_VS VSM4R_VS VGHSH_VS VGMUL_VS", "v1", 32},
    {"VAES* VSM[34]* VGHSH* VGMUL*", "vvv", 32},
    {"VSHA2*", "vvv", 32 | 64},
    {"VCLMUL*", "vvv", 64},
    {"VFWREDOSUM_VS VFWREDUSUM_VS", "1v1", 16 | 32},
    {"VWRED*", "1v1", 8 | 16 | 32},
    {"VFRED*", "1v1", 16 | 32 | 64},
    {"VRED*", "1v1", 0},
    {"VFWCVT_F_X*", "wv", 8 | 16 | 32},
    {"VFWCVT*", "wv", 16 | 32},
    {"VFNCVT_F_*", "vw", 16 | 32},
    {"VFNCVT_ROD_F_*", "vw", 16 | 32},
    {"VFNCVT*", "vw", 8 | 16 | 32},
    {"VFW*_W[VF]", "wwv", 16 | 32},
    {"VFW*", "wvv", 16 | 32},
    {"VW*_W[VX]", "wwv", 8 | 16 | 32},
    {"VW*", "wvv", 8 | 16 | 32},
    {"VN*_W[VXI]", "vwv", 8 | 16 | 32},
    {"V[ZS]EXT_VF2", "vh", 16 | 32 | 64},
    {"V[ZS]EXT_VF4", "vq", 32 | 64},
    {"V[ZS]EXT_VF8", "ve", 64},
    {"VRGATHEREI16_VV", "vvi", 0},
    {"VCOMPRESS_VM", "vv1", 0},
    {"VIOTA_M", "v1", 0},
    {"VM*_MM VMSBF_M VMSIF_M VMSOF_M VCPOP_M VFIRST_M VMV_X_S VMV_S_X", "111", 0},
    {"VFMV_F_S VFMV_S_F", "111", 16 | 32 | 64},
    {"VMADC* VMSBC* VMSEQ* VMSNE* VMSLT* VMSLE* VMSGT*", "1vv", 0},
    {"VMFEQ* VMFNE* VMFLT* VMFLE* VMFGT* VMFGE*", "1vv", 16 | 32 | 64},
    {"VF*", "vvv", 16 | 32 | 64},
    {"V*", "vvv", 0},
};

static bool is_among(const char *opcode, const char *patterns) {
    char pattern[32];
    for (size_t length; *patterns; patterns += length + (patterns[length] == ' ')) {
        length = strcspn(patterns, " ");
        assert(length < sizeof pattern);
        memcpy(pattern, patterns, length);
        pattern[length] = 0;
        if (fnmatch(pattern, opcode, 0) == 0)
            return true;
    }
    return false;
}

// Finds the rule of an opcode of the standard extensions. Null: it is another one, such as a vendor's own.
static const struct rule *find_rule(const char *opcode) {
    size_t i = 0;
    while (i < sizeof rules / sizeof *rules && !is_among(opcode, rules[i].opcodes))
        i++;
    return i < sizeof rules / sizeof *rules && strncmp(opcode, "VT_", 3) != 0 ? &rules[i] : NULL;
}

static bool reads_type(const struct form *form) {
    return form->setup && text_starts(form->setup, "vset");
}

bool vector_config_matters_to(const char *opcode) {
    const struct rule *rule = find_rule(opcode);
    return rule && *rule->operands;
}

bool vector_config_matters(const struct form *form) {
    return reads_type(form) && vector_config_matters_to(form->opcode);
}

// The number behind the last of some letters in an opcode's name: 32 of VLSEG2E32FF_V behind 'E', 2 behind 'G'.
static unsigned number_behind(const char *opcode, char letter) {
    unsigned found = 0;
    for (const char *at = opcode; (at = strchr(at, letter)); at++) {
        const char *digits = letter == 'E' && at[1] == 'I' ? at + 2 : at + 1; // index of VLUXEI32_V
        if (isdigit((unsigned char)*digits))
            found = (unsigned)strtoul(digits, NULL, 10);
    }
    return found;
}

// Binary logarithm of an operand's group: that of the configuration, times the ratio of the elements' widths.
static int group_of(const char *opcode, char kind, const struct vector_config *config) {
    const int sew = log2_of(config->sew);
    switch (kind) {
    case 'w':
        return config->lmul + 1;
    case 'h':
        return config->lmul - 1;
    case 'q':
        return config->lmul - 2;
    case 'e':
        return config->lmul - 3;
    case 'i':
        return config->lmul + log2_of(16) - sew;
    case 'm':
    case 's':
        return config->lmul + log2_of(number_behind(opcode, 'E')) - sew;
    default:
        return config->lmul;
    }
}

// Whether the manual allows the configuration for an operand. None is less than an eighth of a register: the ratio of
// width and group is that of the configuration.
static bool fits(const char *opcode, char kind, const struct vector_config *config) {
    const bool is_list = kind == 's' || kind == 'd';
    const int lmul = group_of(opcode, kind, config);
    return kind == '1' ||
           (lmul <= MOST_LMUL && (is_list ? number_behind(opcode, 'G') : 1) << MAX(lmul, 0) <= most_registers);
}

static bool is_vector(const struct form_operand *operand) {
    return operand->kind == FORM_REGISTER && operand->tied < 0 && operand->class_name &&
           strcmp(operand->class_name, "VR") == 0;
}

// Registers of an operand's group or list.
static unsigned registers_of(const char *opcode, char kind, const struct vector_config *config) {
    const int lmul = kind == '1' ? 0 : group_of(opcode, kind, config);
    const unsigned n = kind == 's' || kind == 'd' ? number_behind(opcode, 'G') : 1;
    return n << MIN(MAX(lmul, 0), MOST_LMUL);
}

// Whether the form has a mask that may be left out: LLVM's last operand then. It is a bit of the code.
static bool may_have_mask(const struct form *form) {
    const struct form_operand *last = form->n_operands ? &form->operands[form->n_operands - 1] : NULL;
    return last && last->kind == FORM_OTHER && last->class_name && form->n_bytes == 4;
}

static bool is_gather(const char *opcode) {
    return is_among(opcode, "VRGATHER_VV VRGATHEREI16_VV");
}

// Operands are the result, or what is stored; the base, or the elements; and the indices.
bool vector_config_is_index(const char *opcode, unsigned operand) {
    return operand == 2 && (is_gather(opcode) || is_among(opcode, "V[LS][UO]X*"));
}

const char *vector_config_fill_indices(struct arena *arena, const char *opcode, const struct vector_config *config,
                                       const char *role) {
    enum { LINE = 64, LINES = 64 };
    const bool is_in_registers = is_gather(opcode);
    const struct rule *rule = find_rule(opcode);
    const char kind = rule->operands[strlen(rule->operands) - 1];
    const int lmul = group_of(opcode, kind, config), sew = log2_of(config->sew) + lmul - config->lmul;
    const struct vector_config own = {.sew = 1U << sew, .lmul = lmul};
    const unsigned fields = number_behind(opcode, 'G'), bytes = config->sew / 8 * (strstr(opcode, "SEG") ? fields : 1);
    struct text text = {.arena = arena};
    text_add(&text, "");
    if (!config->order)
        return text.data;
    text_addf(&text, "vsetvli x31, x0, %s; vid.v {%s}", type_of(arena, &own), role);
    if (is_in_registers && config->order == VECTOR_SPREAD)
        text_addf(&text, "; addi x31, x31, -1; vrsub.vx {%s}, {%s}, x31", role, role);
    if (!is_in_registers)
        text_addf(&text, "; li x31, %u; vmul.vx {%s}, {%s}, x31", config->order == VECTOR_SPREAD ? LINE : bytes, role,
                  role);
    if (!is_in_registers && config->order != VECTOR_ASCENDING)
        text_addf(&text, "; li x31, %d; vand.vx {%s}, {%s}, x31",
                  config->order == VECTOR_LINE ? LINE - 1 : LINE * LINES - 1, role, role);
    return text.data;
}

const char *vector_config_refuse_pair(struct arena *arena, const char *opcode, const struct vector_config *pair) {
    const struct rule *rule = find_rule(opcode);
    if (!rule || !*rule->operands)
        return "it does not depend on the vector configuration";
    if (rule->sizes && !(rule->sizes & pair->sew))
        return arena_printf(arena, "it has no elements of %u bits", pair->sew);
    for (const char *kind = rule->operands; *kind; kind++)
        if (!fits(opcode, *kind, pair))
            return "an operand would be a group of more than 8 registers";
    return NULL;
}

static const char *refuse(struct arena *arena, const struct form *form, const struct vector_config *config) {
    const char *why = vector_config_refuse_pair(arena, form->opcode, config);
    if (why)
        return why;
    if (config->order && !vector_config_is_index(form->opcode, 2))
        return "it has no vector of indices";
    if (config->order == VECTOR_LINE && is_gather(form->opcode))
        return "its indices are of registers, which have no lines";
    return config->has_mask && !may_have_mask(form) ? "it has no mask that may be left out" : NULL;
}

void vector_config_set_groups(const char *opcode, const struct vector_config *config, struct form_operand *operands,
                              unsigned n) {
    const struct rule *rule = find_rule(opcode);
    unsigned number = 0, step = vector_config_registers(config);
    for (unsigned i = 0; rule && *rule->operands && i < n; i++)
        if (is_vector(&operands[i])) {
            const unsigned own = registers_of(opcode, rule->operands[number++], config);
            operands[i].group = (own + step - 1) / step * step;
        }
}

static void add_mask(struct arena *arena, const struct form *from, uint16_t mask, struct form *made, uint8_t *code) {
    enum { UNMASKED_BYTE = 3, UNMASKED_BIT = 2 }; // bit 25 of the instruction
    uint16_t *reads = ARENA_ARRAY(arena, uint16_t, from->n_implicit_reads + 1);
    memcpy(reads, from->implicit_reads, from->n_implicit_reads * sizeof *reads);
    reads[made->n_implicit_reads++] = mask;
    made->implicit_reads = reads;
    made->text = arena_printf(arena, "%s, v0.t", from->text);
    code[UNMASKED_BYTE] &= (uint8_t)~UNMASKED_BIT;
}

// Whether the old elements of a result are a source, too. A mask's tail never stays (the manual, 5.3).
static bool keeps_elements(const char *opcode, const struct rule *rule, const struct vector_config *config) {
    const bool is_mask = *rule->operands == '1' && text_starts(opcode, "VM") && !text_starts(opcode, "VMV");
    return (config->keeps_tail && !is_mask) || (config->keeps_masked_off && config->has_mask);
}

void vector_config_apply(struct arena *arena, const struct form *from, const struct vector_config *config,
                         uint16_t mask, struct form *made) {
    const struct rule *rule = find_rule(from->opcode);
    struct text name = {.arena = arena};
    uint8_t setup[VECTOR_MOST_SETUP_BYTES];
    *made = *from;
    text_addf(&name, "%s-", from->opcode);
    vector_config_print(config, &name);
    made->name = name.data;
    made->vector = *config;
    made->refused = from->status == FORM_USABLE ? refuse(arena, from, config) : NULL;
    if (made->refused || from->status != FORM_USABLE)
        return;
    made->n_setup_bytes = vector_config_setup_bytes(config, setup);
    uint8_t *code = arena_alloc(arena, made->n_setup_bytes + from->n_bytes);
    memcpy(code, setup, made->n_setup_bytes);
    memcpy(code + made->n_setup_bytes, from->bytes, from->n_bytes);
    made->setup = vector_config_setup(arena, config);
    made->bytes = code + made->n_setup_bytes;
    struct form_operand *operands = ARENA_ARRAY(arena, struct form_operand, from->n_operands);
    memcpy(operands, from->operands, from->n_operands * sizeof *operands);
    made->operands = operands;
    vector_config_set_groups(from->opcode, config, operands, from->n_operands);
    if (config->has_mask)
        add_mask(arena, from, mask, made, code + made->n_setup_bytes);
    for (unsigned i = 0; i < made->n_operands; i++)
        if (is_vector(&operands[i]) && operands[i].is_written)
            operands[i].is_read |= keeps_elements(from->opcode, rule, config);
}

// ---- lists

static bool parse_item(struct arena *arena, const char *item, struct vector_config **list, size_t *n) {
    struct vector_config words = {0}, one;
    if (!text_starts(item, "all")) {
        if (!vector_config_parse(item, &one))
            return false;
        vector_config_add(arena, list, n, &one);
        return true;
    }
    if (!parse_words(item + strlen("all"), &words))
        return false;
    for (unsigned i = 0; i < VECTOR_N_PAIRS; i++) {
        one = vector_config_pair(i);
        words.sew = one.sew;
        words.lmul = one.lmul;
        vector_config_add(arena, list, n, &words);
    }
    return true;
}

bool vector_config_parse_list(struct arena *arena, const char *const *texts, size_t n,
                              const struct vector_config **configs, size_t *n_configs, struct fail *fail) {
    struct vector_config *list = NULL;
    size_t n_list = 0;
    for (size_t i = 0; i < n; i++)
        if (!parse_item(arena, texts[i], &list, &n_list))
            return fail_set(
                fail, FAIL_INPUT,
                "'%s' is no vector configuration: name 'all', or one such as e32m1 or e8mf4-half-tu-mu-mask "
                "(elements of 8 to 64 bits, groups mf8 to m8, at most 64 bits of element to a register; "
                "half, odd, one: elements; tu, mu: those not written stay; mask: v0; ascending, line, spread: indices)",
                texts[i]);
    *configs = list;
    *n_configs = n_list;
    return true;
}
