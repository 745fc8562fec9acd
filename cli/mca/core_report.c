#include "cli/mca/core_report.h"

#include "analyzer/predict/core_plan.h"
#include "analyzer/predict/core_simulation.h"
#include "analyzer/views/trace.h"
#include "base/text.h"
#include "cli/mca/core_report_parts.h"
#include "cli/mca/notes.h"
#include "cli/mca/option_table.h"
#include "gen/block.h"

// Options that mean something else, or nothing, and why.
static const struct {
    const char *name, *why;
} others[] = {
    {"overlay", "an overlay changes LLVM's models; change the CPU file"},
    {"dispatch", "the CPU file states it: its parameter dispatch-width"},
    {"decoder-throughput", "the CPU file states it: its parameter decoders"},
    {"micro-op-queue-size", "the CPU file states it: its parameter decode-queue"},
    {"lqueue", "the CPU file states it: its parameter load-queue"},
    {"squeue", "the CPU file states it: its parameter store-queue"},
    {"max-retire-per-cycle", "the CPU file states it: its parameter retire-width"},
    {"register-file-size", "the core of a CPU file has any number of registers"},
    {"register-file-stats", "the core of a CPU file has any number of registers"},
    {"noalias", "the core of a CPU file follows addresses"},
    {"call-latency", "the core of a CPU file takes a call for what it is, a jump that stores"},
    {"branch-penalty", "to the core of a CPU file, branches are predicted"},
    {"resource-segments", "it is about what LLVM's models state of resources"},
    {"disable-cb", "it is about what LLVM's target adds to its models"},
    {"show-barriers", "it is about what LLVM's models state of instructions"},
    {"instruction-tables", "'cyclops explain' shows what a CPU file states of instructions"},
};

bool core_check_options(const struct mca_args *args, struct fail *fail) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (args->positions[mca_option_find(others[i].name)] != 0)
            return fail_set(fail, FAIL_INPUT, "leave out --%s with a CPU file: %s", others[i].name, others[i].why);
    return true;
}

struct bounds_request core_way(const struct cpu *cpu, const struct block *block) {
    const bool is_loop = block->n_insns > 0 && block->insns[block->n_insns - 1].is_branch;
    return (struct bounds_request){
        .cpu = cpu,
        .block = block,
        .is_loop = is_loop,
        .copies = is_loop ? 0 : block_copies(block->n_insns, block_bytes(block)),
    };
}

static unsigned timeline_iterations(const struct core_findings *found) {
    enum { USUAL = 10 };
    const unsigned asked = found->session->args->timeline_max_iterations, most = asked ? asked : USUAL;
    return found->iterations < most ? (unsigned)found->iterations : most;
}

// As many cycles as fit the screen, unless a number is asked for; 0 asks for all.
static unsigned timeline_cycles(const struct mca_args *args) {
    if (!args->positions[mca_option_find("timeline-max-cycles")])
        return 0;
    return args->timeline_max_cycles ? args->timeline_max_cycles : UINT32_MAX;
}

// For labels of a trace.
static const char *const *costs_of(const struct core_findings *found) {
    struct arena *arena = found->session->arena;
    const char **costs = ARENA_ARRAY(arena, const char *, found->block->n_insns);
    for (unsigned i = 0; i < found->block->n_insns; i++) {
        const struct cpu_recipe *recipe = &found->recipes[i];
        costs[i] = arena_printf(arena, "%s, latency %.4g", text_count(arena, recipe->slots, "slot"),
                                recipe->latency + recipe->load_latency);
    }
    return costs;
}

static bool simulate(struct core_findings *found) {
    const struct mca_session *session = found->session;
    const struct mca_args *args = session->args;
    struct event_listener *listeners[4] = {&found->counts.listener};
    unsigned n = 1;
    core_counts_view_init(&found->counts, session->machine, found->block, session->arena);
    if (args->timeline) {
        core_timeline_view_init(&found->timeline, found->block, timeline_iterations(found), timeline_cycles(args),
                                session->arena);
        listeners[n++] = &found->timeline.listener;
    }
    if (session->trace) {
        session->trace->costs = costs_of(found);
        trace_view_begin_block(session->trace, found->block);
        listeners[n++] = &session->trace->listener;
    }
    const struct core_simulation simulation = {
        .iterations = found->iterations,
        .walk_iterations = args->timeline ? timeline_iterations(found) : 0,
        .walk_all = args->walk_all || session->trace,
        .listeners = listeners,
    };
    return core_simulate(&found->way, &simulation, &found->result, session->fail);
}

static bool find_limits(struct core_findings *found) {
    struct fail *fail = found->session->fail;
    if (found->session->args->bottlenecks)
        return core_blame_find(&found->way, &found->blame, fail);
    return bounds_find(&found->way, &found->blame.bounds, fail) &&
           core_cycles_find(&found->way, 0, &found->blame.cycles, fail);
}

static bool report_block(const struct mca_session *session, const struct block *block, size_t number) {
    enum { USUAL_ITERATIONS = 100 };
    const struct cpu *cpu = session->model->own;
    struct core_findings *found = ARENA_NEW(session->arena, struct core_findings);
    *found = (struct core_findings){
        .session = session,
        .block = block,
        .way = core_way(cpu, block),
        .iterations = session->args->iterations ? session->args->iterations : USUAL_ITERATIONS,
        .recipes = cpu_recipes(session->arena, cpu, block),
    };
    if (!find_limits(found) || !simulate(found))
        return false;
    if (!session->args->json) {
        core_print(found, number);
        return true;
    }
    struct json_text json = {.text.arena = session->arena};
    core_put_json(found, &json);
    return json_print_line(session->out, &json, session->fail);
}

bool core_report(const struct mca_session *session, const struct backend_source *source) {
    mca_print_notes(session, source);
    for (size_t i = 0; i < source->n_blocks; i++)
        if (!report_block(session, &source->blocks[i], i))
            return false;
    return true;
}
