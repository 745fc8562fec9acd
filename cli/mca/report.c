#include "cli/mca/report.h"

#include "analyzer/predict/core_plan.h"
#include "analyzer/predict/core_simulation.h"
#include "analyzer/predict/rthroughput.h"
#include "analyzer/sim/pipeline.h"
#include "analyzer/views/bottleneck.h"
#include "analyzer/views/statistics.h"
#include "analyzer/views/timeline.h"
#include "analyzer/views/views.h"
#include "cli/mca/core_report.h"
#include "cli/mca/json.h"
#include "cli/mca/notes.h"

#include <math.h>

// The views of one block. Views that are not requested are neither set up nor listeners.
struct views {
    struct summary_view summary;
    struct bottleneck_view bottlenecks;
    struct dispatch_view dispatch;
    struct scheduler_view scheduler;
    struct retire_view retire;
    struct register_file_view register_files;
    struct resource_pressure_view pressure;
    struct timeline_view timeline;
    struct event_listener **listeners; // of the views that are wanted; a null ends the list
    size_t n_listeners;
};

static uint64_t n_iterations(const struct mca_args *args) {
    enum { LLVM_MCA_DEFAULT = 100 };
    return args->iterations != 0 ? args->iterations : LLVM_MCA_DEFAULT;
}

static unsigned dispatch_width(const struct mca_session *session) {
    return session->args->dispatch != 0 ? session->args->dispatch : session->machine->dispatch_width;
}

static unsigned timeline_iterations(const struct mca_args *args) {
    enum { LLVM_MCA_DEFAULT = 10 };
    unsigned most = args->timeline_max_iterations != 0 ? args->timeline_max_iterations : LLVM_MCA_DEFAULT;
    return n_iterations(args) < most ? (unsigned)n_iterations(args) : most;
}

static void listen(const struct mca_session *session, struct views *views, struct event_listener *listener) {
    *ARENA_ADD(session->arena, views->listeners, views->n_listeners) = listener;
}

static void set_up_statistics(const struct mca_session *session, struct views *views) {
    const struct mca_args *args = session->args;
    if (args->dispatch_stats) {
        dispatch_view_init(&views->dispatch, session->arena);
        listen(session, views, &views->dispatch.listener);
    }
    if (args->scheduler_stats) {
        scheduler_view_init(&views->scheduler, session->machine, session->arena);
        listen(session, views, &views->scheduler.listener);
    }
    if (args->retire_stats) {
        retire_view_init(&views->retire, session->machine, session->arena);
        listen(session, views, &views->retire.listener);
    }
    if (args->register_file_stats) {
        register_file_view_init(&views->register_files, session->machine, session->arena);
        listen(session, views, &views->register_files.listener);
    }
}

static void set_up(const struct mca_session *session, const struct block *block, struct views *views) {
    const struct mca_args *args = session->args;
    const struct machine *machine = session->machine;
    *views = (struct views){.n_listeners = 0};
    if (args->summary) {
        summary_view_init(&views->summary, block, dispatch_width(session), session->arena);
        listen(session, views, &views->summary.listener);
    }
    if (args->bottlenecks) {
        bottleneck_view_init(&views->bottlenecks, machine, block, n_iterations(args), session->arena);
        listen(session, views, &views->bottlenecks.listener);
    }
    set_up_statistics(session, views);
    if (args->resource_pressure) {
        resource_pressure_view_init(&views->pressure, machine, block, session->arena);
        listen(session, views, &views->pressure.listener);
    }
    if (args->timeline) {
        timeline_view_init(&views->timeline, block, timeline_iterations(args), args->timeline_max_cycles,
                           session->arena);
        listen(session, views, &views->timeline.listener);
    }
    if (session->trace != NULL) {
        trace_view_begin_block(session->trace, block);
        listen(session, views, &session->trace->listener);
    }
    listen(session, views, NULL);
}

struct pipeline_options mca_pipeline_options(const struct mca_session *session) {
    const struct mca_args *args = session->args;
    return (struct pipeline_options){
        .iterations = n_iterations(args),
        .dispatch_width = args->dispatch,
        .register_file_size = args->register_file_size,
        .load_queue = args->load_queue,
        .store_queue = args->store_queue,
        .assume_alias = !args->no_alias,
        .mistakes_of_llvm_mca = true,
        .walk_all = args->walk_all || args->trace != NULL,
        .walk_iterations = args->timeline ? timeline_iterations(args) : 0,
        .micro_op_queue = args->micro_op_queue,
        .decoder_throughput = args->decoder_throughput,
        .retire_width = args->retire_width,
        .as_llvm_mca = !args->resource_segments,
        .branch_penalty = args->branch_penalty,
    };
}

static bool simulate(const struct mca_session *session, const struct block *block, const struct views *views) {
    const struct execution *execution = session->execution != NULL ? session->execution : EXECUTION_OF(block);
    struct pipeline_result result;
    return pipeline_simulate(session->pipeline, execution, views->listeners, &result, session->fail);
}

static double bound(const struct mca_session *session, const struct views *views) {
    return block_rthroughput(session->machine, &views->summary.retired, dispatch_width(session));
}

static void print_info(const struct mca_session *session, const struct block *block) {
    const struct mca_args *args = session->args;
    const struct instruction_info info = {
        .machine = session->machine,
        .rules = session->rules,
        .encodings = args->show_encoding,
        .barriers = args->show_barriers,
        .full = args->tables == MCA_TABLES_FULL,
    };
    instruction_info_print(&info, block, session->out);
}

static void print(const struct mca_session *session, const struct block *block, const struct views *views) {
    const struct mca_args *args = session->args;
    if (args->summary)
        summary_view_print(&views->summary, bound(session, views), session->out);
    if (args->bottlenecks)
        bottleneck_view_print(&views->bottlenecks, session->out);
    if (args->instruction_info)
        print_info(session, block);
    if (args->dispatch_stats)
        dispatch_view_print(&views->dispatch, session->out);
    if (args->scheduler_stats)
        scheduler_view_print(&views->scheduler, session->out);
    if (args->retire_stats)
        retire_view_print(&views->retire, session->out);
    if (args->register_file_stats)
        register_file_view_print(&views->register_files, session->out);
    if (args->resource_pressure)
        resource_pressure_view_print(&views->pressure, session->out);
    if (args->timeline)
        timeline_view_print(&views->timeline, session->out);
}

// Prints the members in alphabetical order, as LLVM does.
static void print_json(const struct mca_session *session, const struct block *block, const struct views *views,
                       struct json_text *json) {
    const struct mca_args *args = session->args;
    json_open(json, NULL);
    if (args->bottlenecks && session->rules->has_bottlenecks_as_json)
        bottleneck_view_json(&views->bottlenecks, json);
    if (args->dispatch_stats)
        dispatch_view_json(&views->dispatch, json);
    if (args->instruction_info)
        instruction_info_json(block, json);
    instructions_json(block, json);
    json_put_text(json, "Name", block->name);
    if (args->resource_pressure)
        resource_pressure_view_json(&views->pressure, json);
    if (args->summary)
        summary_view_json(&views->summary, bound(session, views), json);
    if (args->timeline)
        timeline_view_json(&views->timeline, json);
    json_close(json);
}

// Reports one block. session->args must not request views that instruction tables do not have.
static bool report_block(const struct mca_session *session, const struct block *block, size_t number,
                         struct json_text *json) {
    struct views views;
    set_up(session, block, &views);
    if (session->args->tables != MCA_TABLES_NONE) {
        if (session->args->resource_pressure)
            resource_pressure_view_spread(&views.pressure);
    } else if (!simulate(session, block, &views)) {
        return false;
    }
    if (session->args->json) {
        print_json(session, block, &views, json);
        return true;
    }
    if (block->is_marked)
        fprintf(session->out, "\n[%zu] Code Region%s%s\n\n", number, block->name[0] != '\0' ? " - " : "", block->name);
    print(session, block, &views);
    return true;
}

static bool report_blocks(const struct mca_session *session, const struct backend_source *source,
                          struct json_text *json) {
    size_t n_printed = 0;
    for (size_t i = 0; i < source->n_blocks; i++) {
        for (; n_printed < source->n_notes && source->notes[n_printed].block <= i; n_printed++)
            mca_print_note(session, &source->notes[n_printed]);
        if (session->args->bottlenecks && session->machine->in_order)
            fprintf(stderr, "%swarning: bottleneck analysis is not supported for in-order CPU '%s'.\n",
                    mca_program_of(session), session->machine->cpu);
        if (!report_block(session, &source->blocks[i], i, json))
            return false;
    }
    for (; n_printed < source->n_notes; n_printed++)
        mca_print_note(session, &source->notes[n_printed]);
    return true;
}

bool mca_simulate(const struct model *model, struct pipeline *pipeline, uint64_t iterations, const struct block *block,
                  struct pipeline_result *result, uint64_t *thousandths, struct fail *fail) {
    enum { SCALE = 1000 };
    if (!model->own) {
        bool is_done = pipeline_simulate(pipeline, EXECUTION_OF(block), NULL, result, fail);
        *thousandths = is_done ? (result->cycles * SCALE + iterations / 2) / iterations : 0;
        return is_done;
    }
    const struct bounds_request way = core_way(model->own, block);
    const struct core_simulation simulation = {.iterations = iterations};
    double cycles = 0;
    bool is_done = core_simulate(&way, &simulation, result, fail) && core_cycles_find(&way, 0, &cycles, fail);
    *thousandths = (uint64_t)llround(cycles * SCALE);
    return is_done;
}

bool mca_report(const struct mca_session *session, const struct backend_source *source) {
    if (session->model->own)
        return core_report(session, source);
    struct mca_args args = *session->args;
    if (args.tables != MCA_TABLES_NONE) {
        args.summary = args.bottlenecks = args.timeline = false;
        args.resource_pressure |= !session->rules->has_full_tables;
        args.dispatch_stats = args.scheduler_stats = args.retire_stats = args.register_file_stats = false;
    }
    struct mca_session settled = *session;
    settled.args = &args;
    if (!args.json)
        return report_blocks(&settled, source, NULL);
    // Write a whole report or nothing: only when no failure is possible any more.
    struct json_text json = {.text.arena = session->arena, .has_lines = true};
    mca_json_begin(&json);
    if (!report_blocks(&settled, source, &json))
        return false;
    mca_json_end(&json, &args, session->machine);
    fputs(json.text.data, session->out);
    return true;
}
