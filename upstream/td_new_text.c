#include "upstream/td_new_text.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 80 };

// ---- statements of numbers

static void add_list(const struct td_new *new, struct text *text, const struct td_cost *cost) {
    text_add(text, "[");
    for (unsigned u = 0; u < cost->n_uses; u++)
        text_addf(text, "%s%s", u ? ", " : "", td_ports_name_of(&new->ports, cost->uses[u].pipes));
    if (cost->serial > 1)
        text_addf(text, "%s%sSerial", cost->n_uses ? ", " : "", new->prefix);
    text_add(text, "]");
}

// " { let Latency = 3; … }", a line each.
static void add_body(struct text *text, const struct td_cost *cost) {
    bool is_plain = cost->serial <= 1;
    text_addf(text, " {\n  let Latency = %u;\n", cost->latency);
    for (unsigned u = 0; u < cost->n_uses; u++)
        is_plain &= cost->uses[u].cycles == 1;
    if (!is_plain) {
        text_add(text, "  let ReleaseAtCycles = [");
        for (unsigned u = 0; u < cost->n_uses; u++)
            text_addf(text, "%s%u", u ? ", " : "", cost->uses[u].cycles);
        if (cost->serial > 1)
            text_addf(text, "%s%u", cost->n_uses ? ", " : "", cost->serial);
        text_add(text, "];\n");
    }
    if (cost->slots != 1)
        text_addf(text, "  let NumMicroOps = %u;\n", cost->slots);
    text_add(text, "}");
}

static void write_chosen(const struct td_new *new, const struct td_write *write, struct text *text) {
    text_addf(text, "def : WriteRes<%s, ", write->name);
    add_list(new, text, &write->cost);
    text_add(text, ">");
    add_body(text, &write->cost);
    text_addf(text, " // %zu of %zu opcodes\n", write->n_like, write->n_opcodes);
}

static void write_writes(const struct td_new *new, struct td_new_result *result, struct text *text) {
    text_add(text, "\n// Each has the numbers of most of its opcodes; the others have an InstRW below.\n");
    for (size_t i = 0; i < new->n_writes; i++)
        if (new->writes[i].is_chosen) {
            result->n_writes++;
            write_chosen(new, &new->writes[i], text);
        }
    for (size_t i = 0; i < new->n_writes; i++)
        if (!new->writes[i].is_chosen) {
            if (!result->n_unsupported++)
                text_add(text, "\n// No opcode of these has numbers in the CPU file.\n");
            text_addf(text, "def : WriteRes<%s, []> {\n  let Unsupported = 1;\n}\n", new->writes[i].name);
        }
    text_add(text, "\n");
    for (size_t i = 0; i < new->n_reads; i++)
        if (strcmp(new->reads[i].name, "ReadDefault") != 0) {
            result->n_reads++;
            text_addf(text, "def : ReadAdvance<%s, %d>; // %zu of %zu opcodes\n", new->reads[i].name,
                      new->reads[i].cycles, new->reads[i].n_like, new->reads[i].n_opcodes);
        }
}

// ---- opcodes that differ

struct apart {
    const struct td_row *row;
    const char *numbers; // its statements, without its name
};

static int compare_apart(const void *a, const void *b) {
    const struct apart *one = a, *other = b;
    int order = strcmp(one->numbers, other->numbers);
    return order ? order : strcmp(one->row->export.opcode, other->row->export.opcode);
}

static const char *read_name(const struct td_new *new, int cycles) {
    return cycles == 0 ? "ReadDefault"
                       : arena_printf(new->arena, "%sRead%s%d", new->prefix, cycles < 0 ? "Late" : "", abs(cycles));
}

// What stands behind the first write in the InstRW's list.
static const char *operands_of(const struct td_new *new, const struct td_export *export) {
    struct text text = {.arena = new->arena};
    text_add(&text, "");
    for (unsigned i = 1; i < export->n_latencies; i++)
        text_addf(&text, ", %sLatency%u", new->prefix, export->latencies[i]);
    for (unsigned i = 0; i < export->n_advances; i++)
        text_addf(&text, ", %s", read_name(new, export->advances[i]));
    return text.data;
}

static const char *numbers_of(const struct td_new *new, const struct td_export *export) {
    struct text text = {.arena = new->arena};
    struct td_cost cost = {
        .latency = export->latencies[0], .slots = export->slots, .serial = export->serial, .n_uses = export->n_uses};
    memcpy(cost.uses, export->uses, sizeof cost.uses);
    text_add(&text, " : SchedWriteRes<");
    add_list(new, &text, &cost);
    text_add(&text, ">");
    add_body(&text, &cost);
    text_addf(&text, "\n\n%s", operands_of(new, export)); // cut apart where it is written
    return text.data;
}

static void write_shared(const struct td_new *new, const struct apart *all, size_t n, struct text *text) {
    enum { MOST = 1024 };
    bool has_latency[MOST] = {false}, has_read[2 * MOST] = {false};
    for (size_t i = 0; i < n; i++) {
        const struct td_export *export = &all[i].row->export;
        for (unsigned k = 1; k < export->n_latencies; k++)
            if (export->latencies[k] < MOST)
                has_latency[export->latencies[k]] = true;
        for (unsigned k = 0; k < export->n_advances; k++)
            if (abs(export->advances[k]) < MOST)
                has_read[MOST + export->advances[k]] = true;
    }
    const char *title = "\n// Further results of an opcode; reads that come early, or late.\n";
    for (unsigned i = 0; i < MOST; i++)
        if (has_latency[i]) {
            text_addf(text, "%sdef %sLatency%u : SchedWriteRes<[]> {\n  let Latency = %u;\n  let NumMicroOps = 0;\n}\n",
                      title, new->prefix, i, i);
            title = "";
        }
    for (int i = 0; i < 2 * MOST; i++)
        if (has_read[i] && i != MOST) {
            text_addf(text, "%sdef %s : SchedReadAdvance<%d>;%s\n", title, read_name(new, i - MOST), i - MOST,
                      i - MOST == TD_EXPORT_NO_WAIT ? " // it does not wait" : "");
            title = "";
        }
}

static void write_names(struct text *text, const char *head, const char *const *names, size_t n, const char *end) {
    const char *line = strrchr(head, '\n');
    size_t column = strlen(line ? line + 1 : head), indent = column;
    text_add(text, head);
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(names[i]) + 2;
        if (i && column + length > COLUMNS) {
            text_addf(text, "\n%*s", (int)indent, "");
            column = indent;
        }
        text_addf(text, "%s%s", names[i], i + 1 < n ? ", " : "");
        column += length;
    }
    text_add(text, end);
}

static void write_apart(const struct td_new *new, struct td_new_result *result, struct text *text) {
    struct apart *all = NULL;
    size_t n = 0;
    for (size_t i = 0; i < new->n_rows; i++)
        if (new->rows[i].is_apart)
            *ARENA_ADD(new->arena, all, n) = (struct apart){&new->rows[i], numbers_of(new, &new->rows[i].export)};
    if (!n)
        return;
    qsort(all, n, sizeof *all, compare_apart);
    write_shared(new, all, n, text);
    for (size_t first = 0, end; first < n; first = end) {
        const char *opcode = all[first].row->export.opcode, *numbers = all[first].numbers,
                   *operands = strstr(numbers, "\n\n");
        const char **names = NULL;
        size_t n_names = 0;
        for (end = first; end < n && strcmp(all[end].numbers, numbers) == 0; end++)
            *ARENA_ADD(new->arena, names, n_names) = all[end].row->export.opcode;
        result->n_inst_rws++;
        text_addf(text, "\ndef %sWrite%s%.*s\n", new->prefix, opcode, (int)(operands - numbers), numbers);
        text_addf(text, "def : InstRW<[%sWrite%s%s],\n", new->prefix, opcode, operands + 2);
        write_names(text, "             (instrs ", names, n_names, ")>;\n");
    }
    result->n_differing = n;
}

// ---- idioms

static size_t list_idioms(const struct td_new *new, enum td_idiom idiom, bool moves, const char ***names) {
    size_t n = 0;
    *names = NULL;
    for (size_t i = 0; i < new->n_rows; i++) {
        const struct td_export *export = &new->rows[i].export;
        if (moves ? export->is_move : export->idiom == TD_ZEROES || (idiom == TD_BREAKS && export->idiom == TD_BREAKS))
            *ARENA_ADD(new->arena, *names, n) = export->opcode;
    }
    return n;
}

static void write_idioms(const struct td_new *new, struct td_new_result *result, struct text *text) {
    const char **names;
    size_t n = list_idioms(new, TD_ZEROES, false, &names);
    if (n)
        write_names(text, "\ndef : IsZeroIdiomFunction<[DepBreakingClass<[\n  ", names, n,
                    "\n], CheckSameRegOperand<1, 2>>]>;\n");
    result->n_idioms = list_idioms(new, TD_BREAKS, false, &names);
    if (result->n_idioms)
        write_names(text, "\ndef : IsDepBreakingFunction<[DepBreakingClass<[\n  ", names, result->n_idioms,
                    "\n], CheckSameRegOperand<1, 2>>]>;\n");
    result->n_moves = list_idioms(new, TD_NO_IDIOM, true, &names);
    if (result->n_moves)
        write_names(text, "\ndef : IsOptimizableRegisterMove<[InstructionEquivalenceClass<[\n  ", names,
                    result->n_moves, "\n], TruePred>]>;\n");
}

// ---- the machine

static void add_number(struct text *text, const char *let, const struct td_new_number *number, const char *otherwise) {
    if (number->is_known)
        text_addf(text, "  // %s\n  let %s = %u;\n", number->source, let, number->value);
    else if (otherwise)
        text_addf(text, "  // %s\n", otherwise);
}

struct td_new_number td_new_parameter(const struct td_new *new, enum cpu_parameter parameter) {
    const struct cpu_number *number = &new->model->own->parameters[parameter];
    if (!number->is_known)
        return (struct td_new_number){.is_known = false};
    return (struct td_new_number){true, (unsigned)(number->value + 0.5),
                                  td_source_of(new->arena, new->model->own, parameter)};
}

static void write_head(const struct td_new *new, struct text *text) {
    const struct cpu *cpu = new->model->own;
    const struct td_new_number issue = td_new_parameter(new, CPU_DISPATCH_WIDTH),
                               rob = td_new_parameter(new, CPU_REORDER_BUFFER),
                               load = td_new_parameter(new, CPU_LOAD_LATENCY);
    text_addf(text, "// The scheduling model %s, from the CPU file '%s'%s%s.\n", new->name, cpu->name,
              *cpu->about ? ": " : "", cpu->about);
    text_add(text,
             "// Written by 'cyclops upstream new'. Numbers of forms are the file's, where it states them, and its\n"
             "// base's; 'cyclops cpu show' has the trust and source of each.\n");
    text_addf(text, "def %s : SchedMachineModel {\n", new->name);
    add_number(text, "IssueWidth", &issue, "IssueWidth: the CPU file has no dispatch-width");
    add_number(text, "MicroOpBufferSize", &rob, "MicroOpBufferSize: the CPU file has no reorder-buffer");
    if (!rob.is_known)
        text_addf(text, "  let MicroOpBufferSize = %u;\n", new->model->machine->rob_size);
    add_number(text, "LoadLatency", &load, "LoadLatency: the CPU file has no load-latency");
    add_number(text, "MispredictPenalty", &new->request->mispredict_penalty,
               "MispredictPenalty: no card shows it (--card)");
    text_addf(text, "  let PostRAScheduler = 1;\n  let CompleteModel = 0;\n}\n\nlet SchedModel = %s in {\n\n",
              new->name);
}

static void add_queue(const struct td_new *new, struct text *text, enum cpu_parameter parameter, const char *kind,
                      const struct td_rate *rate) {
    const struct td_new_number size = td_new_parameter(new, parameter);
    if (size.is_known && rate->pipe)
        text_addf(text, "// %s\ndef %s%s : %s<%s>;\n", size.source, new->prefix, kind, kind,
                  td_ports_name_of(&new->ports, rate->pipe));
    else if (size.is_known)
        text_addf(
            text,
            "// %s\ndef %s%sEntries : ProcResource<1> {\n  let BufferSize = %u;\n}\ndef %s%s : %s<%s%sEntries>;\n",
            size.source, new->prefix, kind, size.value, new->prefix, kind, kind, new->prefix, kind);
}

// LLVM has no file of an unknown number of registers: 0 is refused where a file is defined.
static void add_registers(const struct td_new *new, struct text *text, const char *name,
                          const struct td_new_number *size, const char *classes, bool moves) {
    if (!size->is_known) {
        text_addf(text, "// %s: no card shows how many there are (--card), so there is no RegisterFile of them.\n",
                  name);
        return;
    }
    text_addf(text, "// %s\ndef %s%s : RegisterFile<%u, [%s], ", size->source, new->prefix, name, size->value, classes);
    unsigned n = 1;
    for (const char *at = classes; (at = strchr(at, ',')); at++)
        n++;
    for (unsigned list = 0; list < 2; list++)
        for (unsigned i = 0; i < n; i++)
            text_addf(text, "%s%d%s", i ? ", " : "[", list ? moves && (i + 1 < n || n > 2) : 1,
                      i + 1 < n ? ""
                      : list    ? "]>;\n"
                                : "], ");
}

static void write_machine(const struct td_new *new, struct text *text) {
    const struct cpu *cpu = new->model->own;
    const struct td_new_number rob = td_new_parameter(new, CPU_REORDER_BUFFER),
                               retire = td_new_parameter(new, CPU_RETIRE_WIDTH);
    td_ports_write(&new->ports, text);
    text_add(text, "\n");
    if (retire.is_known)
        text_addf(text, "// %s\ndef %sRetire : RetireControlUnit<%u, %u>;\n", retire.source, new->prefix,
                  rob.is_known ? rob.value : 0, retire.value);
    add_queue(new, text, CPU_LOAD_QUEUE, "LoadQueue", &new->ports.memory.rates[TD_LOADS]);
    add_queue(new, text, CPU_STORE_QUEUE, "StoreQueue", &new->ports.memory.rates[TD_STORES]);
    if (new->has_x86_registers) {
        add_registers(new, text, "IntegerRegisters", &new->request->integer_registers, "GR64, CCR",
                      cpu_does(cpu, CPU_MOVES_ELIMINATED));
        add_registers(new, text, "VectorRegisters", &new->request->vector_registers, "VR64, VR128, VR256, VR512",
                      cpu_does(cpu, CPU_VECTOR_MOVES_ELIMINATED));
    }
}

static void write_counters(const struct td_new *new, struct text *text) {
    text_addf(
        text,
        "\n// For X86PfmCounters.td. No counter was used to make this model; llvm-exegesis wants these, by their\n"
        "// names in libpfm4 or as raw encodings:\n"
        "//   def %sPfmCounters : ProcPfmCounters {\n"
        "//     let CycleCounter = PfmCounter<\"\">;\n"
        "//     let UopsCounter = PfmCounter<\"\">;\n"
        "//     let IssueCounters = [\n",
        new->prefix);
    for (unsigned p = 0; p < 64; p++)
        if (new->ports.names[p])
            text_addf(text, "//       PfmIssueCounter<\"%s\", \"\">,\n", new->ports.names[p]);
    text_addf(text, "//     ];\n//   }\n//   def : PfmCountersBinding<\"%s\", %sPfmCounters>;\n", new->model->own->name,
              new->prefix);
}

// ---- limits, and the file's numbers

static void add_limit(struct arena *arena, struct td_new_limit **limits, size_t *n_limits, const char *what, size_t n) {
    if (n)
        *ARENA_ADD(arena, *limits, *n_limits) = (struct td_new_limit){what, n};
}

static const char *other_parameters(const struct td_new *new) {
    static const enum cpu_parameter stated[] = {
        CPU_DISPATCH_WIDTH, CPU_REORDER_BUFFER, CPU_LOAD_LATENCY,       CPU_RETIRE_WIDTH,
        CPU_LOAD_QUEUE,     CPU_STORE_QUEUE,    CPU_MOVES_ELIMINATED,   CPU_VECTOR_MOVES_ELIMINATED,
        CPU_ZERO_IDIOMS,    CPU_ONES_IDIOMS,    CPU_LOAD_LATENCY_VECTOR};
    struct text text = {.arena = new->arena};
    for (unsigned p = 0; p < CPU_N_PARAMETERS; p++) {
        const struct cpu_number *number = &new->model->own->parameters[p];
        bool is_stated = !number->is_known || !(number->value > 0) || new->ports.memory.states[p];
        for (size_t i = 0; i < sizeof stated / sizeof *stated; i++)
            is_stated |= stated[i] == (enum cpu_parameter)p;
        if (!is_stated)
            text_addf(&text, "%s%s", text.length ? ", " : "parameters: ", cpu_parameters[p].name);
    }
    return text.data;
}

static void list_limits(const struct td_new *new, struct td_new_result *result) {
    size_t n_latency = 0, n_cycles = 0, n_own = 0, n_widened = 0, n_joined = 0, n_serial = 0;
    for (size_t i = 0; i < new->n_rows; i++) {
        const struct td_export *export = &new->rows[i].export;
        n_latency += export->rounds_latency;
        n_cycles += export->rounds_cycles;
        n_own += export->has_own_latency;
        n_serial += export->serial > 1;
        n_widened += new->rows[i].is_widened;
        n_joined += new->rows[i].is_joined;
    }
    const char *parameters = other_parameters(new);
    struct td_new_limit *limits = NULL;
    size_t *n = &result->n_limits;
    add_limit(new->arena, &limits, n, "latencies of fractions of a cycle, made whole", n_latency);
    add_limit(new->arena, &limits, n, "pipes held for fractions of a cycle, made whole", n_cycles);
    add_limit(new->arena, &limits, n, "results that their own kind has earlier", n_own);
    add_limit(new->arena, &limits, n, "times between two of one kind, as a resource that all kinds share", n_serial);
    add_limit(new->arena, &limits, n, "sets of pipes beyond the 63 resources that LLVM has, as larger ones", n_widened);
    add_limit(new->arena, &limits, n, "parts that start one after another, as one set of pipes for their sum",
              n_joined);
    if (parameters)
        *ARENA_ADD(new->arena, limits, result->n_limits) = (struct td_new_limit){parameters, 0};
    result->limits = limits;
}

static const char *memory_of(const struct td_new *new) {
    struct text text = {.arena = new->arena};
    text_add(&text, "");
    for (unsigned a = 0; a < TD_N_ACCESSES; a++) {
        const struct td_rate *rate = &new->ports.memory.rates[a];
        if (rate->pipe)
            text_addf(&text, "%s%s %u", text.length ? ", " : "", td_ports_name_of(&new->ports, rate->pipe),
                      rate->units);
    }
    return text.data;
}

static const char *unstated_of(const struct td_new *new) {
    const struct td_new_request *request = new->request;
    const struct {
        const char *what;
        bool is_known;
    } all[] = {
        {"IssueWidth", td_new_parameter(new, CPU_DISPATCH_WIDTH).is_known},
        {"MicroOpBufferSize (it is the base's)", td_new_parameter(new, CPU_REORDER_BUFFER).is_known},
        {"LoadLatency", td_new_parameter(new, CPU_LOAD_LATENCY).is_known},
        {"MispredictPenalty", request->mispredict_penalty.is_known},
        {"RegisterFile of integers", !new->has_x86_registers || request->integer_registers.is_known},
        {"RegisterFile of vectors", !new->has_x86_registers || request->vector_registers.is_known},
    };
    struct text text = {.arena = new->arena};
    text_add(&text, "");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!all[i].is_known)
            text_addf(&text, "%s%s", text.length ? ", " : "", all[i].what);
    return text.data;
}

static const char *csv_of(const struct td_new *new) {
    struct text text = {.arena = new->arena};
    text_add(&text, "opcode,uops,latencies,advances,resources\n");
    for (size_t i = 0; i < new->n_rows; i++) {
        const struct td_export *export = &new->rows[i].export;
        text_addf(&text, "%s,%u,", export->opcode, export->slots);
        for (unsigned k = 0; k < export->n_latencies; k++)
            text_addf(&text, "%s%u", k ? ";" : "", export->latencies[k]);
        text_add(&text, ",");
        for (unsigned k = 0; k < export->n_advances; k++)
            text_addf(&text, "%s%d", k ? ";" : "", export->advances[k]);
        text_add(&text, ",");
        for (unsigned k = 0; k < export->n_uses; k++)
            text_addf(&text, "%s%s:%u", k ? ";" : "", td_ports_name_of(&new->ports, export->uses[k].pipes),
                      export->uses[k].cycles);
        if (export->serial > 1)
            text_addf(&text, "%s%sSerial:%u", export->n_uses ? ";" : "", new->prefix, export->serial);
        text_add(&text, "\n");
    }
    return text.data;
}

void td_new_write(struct td_new *new, struct td_new_result *result) {
    struct text text = {.arena = new->arena};
    write_head(new, &text);
    write_machine(new, &text);
    write_writes(new, result, &text);
    write_apart(new, result, &text);
    write_idioms(new, result, &text);
    text_addf(&text, "\n} // SchedModel = %s\n", new->name);
    write_counters(new, &text);
    result->text = text.data;
    result->csv = csv_of(new);
    result->n_opcodes = new->n_rows;
    result->n_pipes = (size_t)__builtin_popcountll(new->ports.used);
    result->n_groups = new->ports.n_groups;
    result->memory = memory_of(new);
    result->unstated = unstated_of(new);
    list_limits(new, result);
}

// ---- what llvm-tblgen makes of it

static unsigned cycles_on(const struct td_model *model, const struct td_opcode *found, const char *port) {
    unsigned cycles = 0;
    for (unsigned a = 0; a < found->first[found->n_writes]; a++) {
        const struct td_numbers *atom = &model->atoms[found->atoms[a]].numbers;
        for (unsigned p = 0; p < atom->n_ports; p++)
            cycles += strcmp(atom->ports[p], port) == 0 ? atom->cycles[p] : 0;
    }
    return cycles;
}

static const char *compare_holds(const struct td_new *new, const struct td_model *model, const struct td_opcode *found,
                                 const struct td_export *export) {
    unsigned all = 0, wanted = export->serial > 1 ? export->serial : 0;
    for (unsigned a = 0; a < found->first[found->n_writes]; a++)
        for (unsigned p = 0; p < model->atoms[found->atoms[a]].numbers.n_ports; p++)
            all += model->atoms[found->atoms[a]].numbers.cycles[p];
    for (unsigned u = 0; u < export->n_uses; u++) {
        const char *name = td_ports_name_of(&new->ports, export->uses[u].pipes);
        wanted += export->uses[u].cycles;
        if (cycles_on(model, found, name) != export->uses[u].cycles)
            return arena_printf(new->arena, "%s is held for %u cycles, not %u", name, cycles_on(model, found, name),
                                export->uses[u].cycles);
    }
    return all == wanted ? NULL : "it holds more than the file has it";
}

const char *td_new_compare(const struct td_new *new, struct td_model *model, const struct td_row *row) {
    const struct td_export *export = &row->export;
    const struct td_opcode found = td_model_find(model, export->opcode, NULL);
    unsigned slots = 0, most = 0, latencies[TD_MOST_WRITES] = {0};
    if (found.why)
        return found.why;
    for (unsigned w = 0; w < found.n_writes; w++) {
        for (unsigned a = found.first[w]; a < found.first[w + 1]; a++) {
            slots += model->atoms[found.atoms[a]].numbers.uops;
            latencies[w] += model->atoms[found.atoms[a]].numbers.latency;
        }
        most = latencies[w] > most ? latencies[w] : most;
    }
    if (slots != export->slots)
        return arena_printf(new->arena, "%u micro-ops, not %u", slots, export->slots);
    for (unsigned w = 0; w < export->n_latencies; w++)
        if ((w < found.n_writes ? latencies[w] : most) != export->latencies[w])
            return arena_printf(new->arena, "latency %u, not %u", w < found.n_writes ? latencies[w] : most,
                                export->latencies[w]);
    for (unsigned k = 0; k < TD_EXPORT_MOST_READS; k++) {
        int cycles = 0, wanted = k < export->n_advances ? export->advances[k] : 0;
        if (found.n_writes + k < found.n_operands)
            td_model_advance(model, found.operands[found.n_writes + k], &cycles);
        if (cycles != wanted)
            return arena_printf(new->arena, "operand %u is read %d cycles early, not %d", k, cycles, wanted);
    }
    return compare_holds(new, model, &found, export);
}
