// Lists all forms: each opcode with an example of its operands, and whether it can be measured. The examples, whose
// text form_maker.cpp makes, are assembled again: only what comes back as the same opcode is a form of its own.
#include "analyzer/llvm/form_maker.h"
#include "analyzer/llvm/regions.h"

#include <algorithm>

using namespace llvm;

namespace {

// Assembles all examples at once, a line each, and finds out what came of them.
bool assemble_examples(backend_cpu &cpu, const std::map<unsigned, prefixed_key> &prefixed, struct form *forms, size_t n,
                       struct fail *fail) {
    std::string text;
    std::vector<struct form *> by_line;
    for (size_t i = 0; i < n; i++) {
        if (forms[i].status != FORM_USABLE)
            continue;
        text += forms[i].text;
        text += '\n';
        by_line.push_back(&forms[i]);
        forms[i].status = FORM_NOT_ASSEMBLED;
    }
    return assemble_lines(cpu, text.c_str(), fail, [&](const MCInst &inst, unsigned line) {
        struct form *form = by_line[line - 1];
        const auto behind = prefixed.find(form->index);
        const bool is_itself = inst.getOpcode() == (behind == prefixed.end() ? form->index : behind->second.opcode);
        form->status = is_itself ? FORM_USABLE : FORM_TWIN;
        form->twin = is_itself ? nullptr : opcode_name(&cpu, inst.getOpcode());
    });
}

// The operands that may be high bytes, a bit for each; 0: there is none, or too many of them. Division is left out: its
// divisor would be zero where a chain's value is small.
unsigned high_operands(const backend_cpu &cpu, const struct form &form) {
    constexpr unsigned most = 2;
    const ArrayRef<uint8_t> bytes(form.bytes, form.n_bytes);
    const auto is_prefix = [](uint8_t byte) { return byte == 0x66 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3; };
    const auto *const first = find_if(bytes, [&](uint8_t byte) { return !is_prefix(byte); });
    const bool is_extended = first == bytes.end() || (*first & 0xf0) == 0x40 || // REX
                             *first == 0x62 || *first == 0xd5 ||                // EVEX, REX2
                             *first == 0xc4 || *first == 0xc5;                  // VEX
    unsigned found = 0, n = 0;
    if (!cpu.triple.isX86() || form.status != FORM_USABLE || is_extended || StringRef(form.opcode).contains("DIV"))
        return 0;
    for (unsigned i = 0; i < form.n_operands; i++) {
        const struct form_operand &operand = form.operands[i];
        const bool may_be_high = any_of(ArrayRef<uint16_t>(operand.registers, operand.n_registers),
                                        [&](uint16_t reg) { return StringRef(cpu.registers->getName(reg)) == "AH"; });
        if (operand.kind != FORM_REGISTER || operand.tied >= 0 || !may_be_high)
            continue;
        found |= 1U << i;
        n++;
    }
    return n <= most ? found : 0;
}

bool has_address(const struct form &form) {
    return std::any_of(form.operands, form.operands + form.n_operands,
                       [](const struct form_operand &operand) { return operand.kind == FORM_ADDRESS; });
}

// Takes those of a second try that have become usable.
void take_usable(const std::vector<struct form> &tried, std::vector<struct form> &list) {
    for (const struct form &form : tried)
        if (form.status == FORM_USABLE)
            list[form.index] = form;
}

// Each opcode, by its number; behind them those with other addresses, and those with high bytes.
std::vector<struct form> make_all(form_maker &maker, const backend_cpu &cpu, size_t n_opcodes) {
    std::vector<struct form> list(n_opcodes);
    for (size_t i = 0; i < n_opcodes; i++)
        maker.make(unsigned(i), plain_example, &list[i]);
    for (size_t i = 0; i < n_opcodes; i++)
        if (has_address(list[i]) && list[i].status == FORM_USABLE)
            for (const lea_address *each = lea_addresses + 1; each < std::end(lea_addresses); each++) {
                list.emplace_back();
                maker.make(unsigned(i), {plain_example.immediate, plain_example.avoids_accumulator, each, 0},
                           &list.back());
            }
    for (size_t i = 0; i < n_opcodes; i++) {
        const unsigned high = high_operands(cpu, list[i]);
        for (unsigned some = high; some; some = (some - 1) & high) {
            list.emplace_back();
            maker.make(unsigned(i),
                       {plain_example.immediate, plain_example.avoids_accumulator, plain_example.of_lea, some},
                       &list.back());
        }
    }
    return list;
}

// Where a short immediate makes another opcode of the text, a long one may not.
bool try_longer_immediates(form_maker &maker, backend_cpu &cpu, size_t n_opcodes, std::vector<struct form> &list,
                           struct fail *fail) {
    std::vector<struct form> again;
    for (size_t i = 0; i < n_opcodes; i++)
        if (list[i].status == FORM_TWIN) {
            again.emplace_back();
            maker.make(unsigned(i), second_example, &again.back());
        }
    if (!assemble_examples(cpu, maker.all_prefixed(), again.data(), again.size(), fail))
        return false;
    take_usable(again, list);
    return true;
}

// Where AVX has the instruction, too, its text needs a prefix to become AVX-512's. These begin with 62.
bool try_evex(form_maker &maker, backend_cpu &cpu, struct arena *arena, size_t n_opcodes,
              std::vector<struct form> &list, struct fail *fail) {
    std::vector<struct form> again;
    for (size_t i = 0; i < n_opcodes; i++)
        if (cpu.triple.isX86() && list[i].status == FORM_TWIN && list[i].bytes[0] == 0x62) {
            again.push_back(list[i]);
            again.back().text = arena_printf(arena, "{evex} %s", list[i].text);
            again.back().status = FORM_USABLE; // try again
        }
    if (!assemble_examples(cpu, maker.all_prefixed(), again.data(), again.size(), fail))
        return false;
    take_usable(again, list);
    return true;
}

} // namespace

prefixed_opcodes find_prefixed_opcodes(backend_cpu &cpu) {
    struct arena scratch = {};
    form_maker maker(cpu, &scratch);
    prefixed_opcodes found;
    struct form form;
    for (unsigned i = 0; maker.is_open() && i < cpu.opcodes->getNumOpcodes(); i++) {
        // Only what reads and writes memory can be locked; only what has no operands of its own is repeated.
        const MCInstrDesc &desc = cpu.opcodes->get(i);
        if ((desc.mayLoad() && desc.mayStore()) || (!desc.getNumOperands() && (desc.mayLoad() || desc.mayStore())))
            maker.make(i, plain_example, &form);
    }
    for (const auto &[opcode, behind] : maker.all_prefixed())
        found.emplace(behind, opcode);
    arena_free(&scratch);
    return found;
}

bool list_forms(struct backend_cpu *cpu, struct arena *arena, const struct form **forms, size_t *n_forms,
                struct fail *fail) {
    form_maker maker(*cpu, arena);
    if (cpu->triple.isARM() && cpu->subtarget->checkFeatures("+noarm"))
        return fail_set(fail, FAIL_INPUT,
                        "'%s' executes Thumb code only, and the forms of %s are of Arm code; name another CPU",
                        cpu->name.c_str(), cpu->triple.str().c_str());
    if (!maker.is_open())
        return fail_set(fail, FAIL_UNAVAILABLE, "this LLVM was built without an assembler or disassembler for %s",
                        cpu->triple.str().c_str());
    const size_t n_opcodes = cpu->opcodes->getNumOpcodes();
    std::vector<struct form> list = make_all(maker, *cpu, n_opcodes);
    if (!assemble_examples(*cpu, maker.all_prefixed(), list.data(), list.size(), fail))
        return false;
    if (!try_longer_immediates(maker, *cpu, n_opcodes, list, fail) ||
        !try_evex(maker, *cpu, arena, n_opcodes, list, fail))
        return false;
    struct form *copy = ARENA_ARRAY(arena, struct form, list.size());
    std::copy(list.begin(), list.end(), copy);
    *forms = copy;
    *n_forms = list.size();
    return true;
}
