// Campaigns on a simulated CPU: what they ask of a client, what they hand back, and how they go on.
#include "lab/campaign.h"

#include "base/file.h"
#include "lab/testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { N_STREAMS = 3, N_VALUES = 2 + N_STREAMS }; // a latency and a throughput besides the sweep

// A client that measures one kernel in each pass.
struct testing_client {
    const struct kernel *kernel; // null: nothing is next
    unsigned n_asked, n_handed_back, n_done;
    size_t n_taken; // values from the measurement file
    bool was_stopped, was_skipped;
};

static bool next(void *context, struct campaign_pass *pass, struct fail *fail) {
    struct testing_client *client = context;
    const struct plan_options options = {
        .has_form = true, .form = PROGRAM_LOOPED, .sweep_first = 1, .sweep_last = N_STREAMS};
    client->n_asked++;
    pass->files.n_taken = &client->n_taken;
    return !client->kernel || plan_add_kernel(&pass->arena, &pass->plan, client->kernel, &options, fail);
}

static void take(void *context, struct campaign_pass *pass) {
    struct testing_client *client = context;
    client->n_handed_back++;
    client->n_done = 0;
    for (size_t i = 0; i < pass->plan.n_experiments; i++)
        client->n_done += pass->plan.experiments[i]->is_done;
    client->was_stopped = pass->is_stopped;
    client->was_skipped = pass->is_skipped;
}

static const struct campaign_client operations = {.work = "test", .holds = "a test", .next = next, .take = take};
static const struct pass_effort brief = {.attempt_ms = 5, .precision = 0.01, .is_hasty = true};

static unsigned n_begun;
static void begin(const char *where) {
    n_begun++;
    assert_non_null(strstr(where, "simulated"));
}

static char *folder; // of each test anew

struct fixture {
    struct testing_run run; // options, a listener and an arena
    struct testing_client client;
    struct kernel_set set;
    struct campaign_request request;
    struct campaign campaign;
};

static void open_fixture(struct fixture *f, bool is_resumed) {
    testing_run_start(&f->run, "sim:skylake,noise=none");
    f->client = (struct testing_client){0};
    f->set = (struct kernel_set){0};
    if (!kernel_load_installed(&f->run.arena, "x86_64", &f->set, &f->run.fail))
        fail_msg("%s", f->run.fail.text);
    f->client.kernel = kernel_find(&f->run.arena, &f->set, "add-r64", &f->run.fail);
    assert_non_null(f->client.kernel);
    f->request =
        (struct campaign_request){.folder = folder, .is_resumed = is_resumed, .begins = begin, .lab = &f->run.options};
    campaign_start(&f->campaign, &f->run.arena, &f->request, &operations, &f->client);
    n_begun = 0;
}

static void close_fixture(struct fixture *f) {
    testing_run_end(&f->run);
}

static void run_pass(struct fixture *f) {
    bool is_done = campaign_pass(&f->campaign, &brief, &f->run.fail);
    if (!is_done && f->run.fail.status == FAIL_UNAVAILABLE)
        skip();
    assert_string_equal(f->run.fail.text, "");
    assert_true(is_done);
}

static void a_pass_hands_back_what_was_next(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f, false);
    assert_true(campaign_open_folder(&f.campaign, &f.run.fail));
    run_pass(&f);
    assert_int_equal(f.client.n_asked, 1);
    assert_int_equal(f.client.n_handed_back, 1);
    assert_int_equal(f.client.n_done, N_VALUES);
    assert_int_equal(f.client.n_taken, 0);
    assert_false(f.client.was_stopped || f.client.was_skipped);
    // The next pass finds in the file what the first one has measured, and begins no more.
    run_pass(&f);
    assert_int_equal(f.client.n_done, N_VALUES);
    assert_int_equal(f.client.n_taken, N_VALUES);
    assert_int_equal(n_begun, 1);
    assert_int_equal(f.run.heard.notes.n, 0);
    close_fixture(&f);
}

static void without_a_plan_no_target_is_opened(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f, false);
    f.client.kernel = NULL;
    f.campaign.options.target = "sim:no-such-cpu";
    run_pass(&f);
    assert_int_equal(f.client.n_handed_back, 1);
    assert_int_equal(f.client.n_done, 0);
    assert_int_equal(n_begun, 0);
    close_fixture(&f);
}

static void a_target_that_cannot_be_opened_is_a_failure(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f, false);
    f.campaign.options.target = "sim:no-such-cpu";
    assert_false(campaign_pass(&f.campaign, &brief, &f.run.fail));
    assert_non_null(strstr(f.run.fail.text, "no-such-cpu"));
    assert_int_equal(f.client.n_handed_back, 0);
    close_fixture(&f);
}

static void what_is_stopped_goes_on_later(void **state) {
    (void)state;
    struct fixture f;
    struct pass_effort again;
    open_fixture(&f, false);
    f.run.heard.stops_at_start = true;
    run_pass(&f);
    assert_true(f.client.was_stopped);
    assert_true(f.client.n_done < N_VALUES);
    campaign_start_again(&f.campaign, 100, 4, 10);
    assert_false(campaign_again(&f.campaign, 5, &again));
    campaign_end(&f.campaign, 5);
    assert_int_equal(f.campaign.status, RUN_PLAN_INTERRUPTED);
    close_fixture(&f);
    open_fixture(&f, true);
    run_pass(&f);
    assert_int_equal(f.client.n_done, N_VALUES);
    close_fixture(&f);
}

static void a_folder_with_measurements_is_resumed_or_refused(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f, false);
    assert_true(campaign_open_folder(&f.campaign, &f.run.fail));
    run_pass(&f);
    assert_false(campaign_open_folder(&f.campaign, &f.run.fail));
    assert_non_null(strstr(f.run.fail.text, "holds a test: --resume goes on with it"));
    close_fixture(&f);
    open_fixture(&f, true);
    assert_true(campaign_open_folder(&f.campaign, &f.run.fail));
    close_fixture(&f);
}

static void unstable_values_count_where_they_must_not_stay(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f, false);
    campaign_end(&f.campaign, 1);
    assert_int_equal(f.campaign.status, 0);
    f.request.is_strict = true;
    campaign_end(&f.campaign, 0);
    assert_int_equal(f.campaign.status, 0);
    campaign_end(&f.campaign, 1);
    assert_int_equal(f.campaign.status, RUN_PLAN_UNSTABLE);
    close_fixture(&f);
}

static const char *last_note(const struct fixture *f) {
    return f->run.heard.notes.n ? f->run.heard.notes.items[f->run.heard.notes.n - 1] : "";
}

static void passes_end_with_the_values_or_the_budget(void **state) {
    (void)state;
    struct fixture f;
    struct pass_effort effort;
    open_fixture(&f, false);
    campaign_start_again(&f.campaign, 100, 8, 50);
    assert_false(campaign_again(&f.campaign, 0, &effort));
    assert_true(campaign_again(&f.campaign, 20, &effort));
    assert_string_equal(last_note(&f), "20 values are unstable: pass 2 measures them again");
    assert_true(campaign_again(&f.campaign, 1, &effort));
    assert_string_equal(last_note(&f), "1 value is unstable: pass 3 measures it again");
    // The same number again is no news.
    assert_true(campaign_again(&f.campaign, 1, &effort));
    assert_int_equal(f.run.heard.notes.n, 2);
    assert_int_equal(f.campaign.again.n, 4);
    campaign_start_again(&f.campaign, 0, 8, 50);
    assert_false(campaign_again(&f.campaign, 20, &effort));
    close_fixture(&f);
}

static void passes_do_not_go_on_for_ever(void **state) {
    (void)state;
    struct fixture f;
    struct pass_effort effort;
    unsigned n = 0;
    open_fixture(&f, false);
    campaign_start_again(&f.campaign, 1e6, 8, 50);
    while (n < 1000 && campaign_again(&f.campaign, 20, &effort))
        n++;
    assert_in_range(n, 5, 50);
    close_fixture(&f);
}

// Where short tries help, a value does not wait; where they do not, it does. Few values have more time each.
static void a_pass_waits_where_short_ones_do_not_help(void **state) {
    (void)state;
    struct fixture f;
    struct pass_effort many, few, same;
    open_fixture(&f, false);
    campaign_start_again(&f.campaign, 240, 8, 10000);
    assert_true(campaign_again(&f.campaign, 5000, &many));
    assert_true(campaign_again(&f.campaign, 400, &few));
    assert_true(campaign_again(&f.campaign, 400, &same));
    assert_true(many.is_hasty && few.is_hasty && !same.is_hasty);
    assert_true(few.attempt_ms > many.attempt_ms && many.attempt_ms >= 10 && few.attempt_ms <= 200);
    assert_true(many.retry_seconds > 0);
    close_fixture(&f);
}

// ---- a folder for each test

static struct arena names;

static int make_folder(void **state) {
    (void)state;
    folder = file_temporary(&names, "cyclops-campaign");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(arena_printf(&names, "%s/measurements.jsonl", folder));
    unlink(arena_printf(&names, "%s/lock", folder));
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_pass_hands_back_what_was_next, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(without_a_plan_no_target_is_opened, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_target_that_cannot_be_opened_is_a_failure, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_is_stopped_goes_on_later, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_folder_with_measurements_is_resumed_or_refused, make_folder, remove_folder),
        cmocka_unit_test(passes_end_with_the_values_or_the_budget),
        cmocka_unit_test(passes_do_not_go_on_for_ever),
        cmocka_unit_test(a_pass_waits_where_short_ones_do_not_help),
        cmocka_unit_test_setup_teardown(unstable_values_count_where_they_must_not_stay, make_folder, remove_folder),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&names);
    return failed;
}
