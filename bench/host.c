#include "bench/host.h"

#include "base/json.h"
#include "base/text.h"
#include "bench/host_files.h"
#include "bench/record.h"

bool host_read(struct arena *arena, const struct host_wish *wish, struct host *host, struct fail *fail) {
    *host = (struct host){.cpu = -1};
    if (!host_read_topology(arena, wish, host, fail))
        return false;
    host->governor = host_line(arena, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", host->cpu);
    if (!host_read_cpuinfo(arena, host, fail))
        return false;
    host->kernel = host_line(arena, "/proc/sys/kernel/osrelease");
    host_read_hypervisor(arena, host);
    host_read_frequency(arena, host);
    host_read_pmu(arena, host);
    return true;
}

static const char *turbo_name(enum host_turbo turbo) {
    static const char *const names[] = {[TURBO_UNKNOWN] = "unknown", [TURBO_ON] = "on", [TURBO_OFF] = "off"};
    return names[turbo];
}

static json_t *list_to_json(const char *const *strings) {
    json_t *list = json_array();
    for (; *strings; strings++)
        json_array_append_new(list, json_string(*strings));
    return list;
}

// "s?" writes null for a null pointer, which readers take as "not known".
json_t *host_to_json(const struct host *host) {
    json_t *json = json_pack("{ss si ss? ss? si si si ss? ss? ss?}", "record", "host", "version", RECORD_VERSION, "cpu",
                             host->cpu_name, "vendor", host->vendor, "family", (int)host->family, "model",
                             (int)host->model, "stepping", (int)host->stepping, "microcode", host->microcode, "kernel",
                             host->kernel, "hypervisor", host->hypervisor);
    json_t *rest = json_pack("{si si sb si ss? ss ss? sb ss? si ss? so}", "cpus", (int)host->n_cpus, "cores",
                             (int)host->n_cores, "smt", host->smt, "pinned_to", host->cpu, "core_type", host->core_type,
                             "turbo", turbo_name(host->turbo), "governor", host->governor, "pmu", host->has_pmu,
                             "pmu_note", host->pmu_note, "perf_event_paranoid", host->perf_paranoid, "cyclops",
                             CYCLOPS_VERSION, "flags", list_to_json(host->flags));
    json_object_update(json, rest);
    json_decref(rest);
    if (host->ghz_stated > 0)
        json_object_set_new(json, "ghz_stated", json_real(host->ghz_stated));
    return json;
}

const char *host_summary(struct arena *arena, const struct host *host, const char *cpu_model) {
    struct text text = {.arena = arena};
    text_add(&text, host->cpu_name);
    if (cpu_model)
        text_addf(&text, " (%s)", cpu_model);
    if (host->core_type)
        text_addf(&text, ", %s core", host->core_type);
    if (host->hypervisor)
        text_add(&text, ", VM");
    text_add(&text, host->has_pmu ? ", hardware counters" : ", no hardware counters");
    return text.data;
}
