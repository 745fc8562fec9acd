#include "bench/sandbox/nursery.h"

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEMORY_BYTES = 64 << 20, ALIGNMENT = 64, MOST_OTHERS = 8 };

static struct {
    pid_t pid;       // 0: there is no such process
    int socket;      // socket to that process
    uint8_t *memory; // MEMORY_BYTES, mapped by nursery_open or the first nursery_alloc; null: not yet
    size_t used;
    struct other { // pieces that did not fit, which the nursery does not see
        void *start;
        size_t n_bytes;
    } others[MOST_OTHERS];
    unsigned n_others;
} nursery;

struct request {
    void (*run)(void *argument);
    unsigned char argument[NURSERY_MOST_ARGUMENT];
};

struct answer {
    pid_t pid; // id of the child; -1: it could not be started
};

// Control data of a message, which carries a file descriptor: unix(7), SCM_RIGHTS.
union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

static bool send_answer(int socket, struct answer answer, int pidfd) {
    union control control = {0};
    struct iovec data = {&answer, sizeof answer};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    if (pidfd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        control.header =
            (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof pidfd)};
        memcpy(CMSG_DATA(&control.header), &pidfd, sizeof pidfd);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == sizeof answer;
}

static bool receive_answer(int socket, struct answer *answer, int *pidfd) {
    union control control = {0};
    struct iovec data = {answer, sizeof *answer};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t n;
    do
        n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    *pidfd = -1;
    if (n == sizeof *answer && message.msg_controllen >= sizeof(struct cmsghdr) &&
        control.header.cmsg_type == SCM_RIGHTS)
        memcpy(pidfd, CMSG_DATA(&control.header), sizeof *pidfd);
    return n == sizeof *answer;
}

// Starts a child of our parent, which can wait for it as for any child.
static pid_t start_sibling(const struct request *request,
                           int *pidfd) { // NOLINT(readability-non-const-parameter): the kernel writes it
    struct request mine = *request;
    struct clone_args arguments = {
        .flags = CLONE_PARENT | CLONE_CLEAR_SIGHAND | CLONE_PIDFD,
        .pidfd = (uintptr_t)pidfd,
    };
    pid_t pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid == 0) {
        mine.run(mine.argument);
        _exit(255);
    }
    return pid;
}

// Runs the nursery until its parent closes the socket or ends. Ignores the terminal's signals.
static _Noreturn void live(int socket) {
    struct request request;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setpgid(0, 0);
    prctl(PR_SET_NAME, "cyclops-nursery");
    while (recv(socket, &request, sizeof request, 0) == sizeof request) {
        int pidfd = -1;
        struct answer answer = {start_sibling(&request, &pidfd)};
        if (!send_answer(socket, answer, pidfd))
            break;
        if (pidfd >= 0)
            close(pidfd);
    }
    _exit(0);
}

static bool map_memory(void) {
    void *memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED)
        nursery.memory = memory;
    return memory != MAP_FAILED;
}

void nursery_open(void) {
    int sockets[2];
    if (nursery.memory || !map_memory() || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
        return;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(sockets[0]);
        if (getppid() != parent)
            _exit(0);
        live(sockets[1]);
    }
    close(sockets[1]);
    if (pid < 0) {
        close(sockets[0]);
        return;
    }
    nursery.socket = sockets[0];
    nursery.pid = pid;
}

void nursery_close(void) {
    nursery_free_all();
    if (nursery.pid > 0) {
        close(nursery.socket);
        while (waitpid(nursery.pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (nursery.memory)
        munmap(nursery.memory, MEMORY_BYTES);
    nursery.memory = NULL;
    nursery.pid = 0;
}

void *nursery_alloc(size_t n_bytes) {
    size_t size = (n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if ((nursery.memory || map_memory()) && size <= MEMORY_BYTES - nursery.used) {
        void *start = nursery.memory + nursery.used;
        nursery.used += size;
        return start;
    }
    if (nursery.n_others == MOST_OTHERS)
        return NULL;
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    nursery.others[nursery.n_others++] = (struct other){start, size};
    return start;
}

void nursery_free_all(void) {
    nursery.used = 0;
    while (nursery.n_others > 0) {
        nursery.n_others--;
        munmap(nursery.others[nursery.n_others].start, nursery.others[nursery.n_others].n_bytes);
    }
}

// Null where there is no room.
static void *copy_of(const void *from, size_t n) {
    void *copy = nursery_alloc(n + 1);
    if (copy && n)
        memcpy(copy, from, n);
    return copy;
}

static const struct segment *copy_segments(const struct bench_code *code) {
    struct segment *copies = nursery_alloc(code->n_segments * sizeof *copies + 1);
    for (unsigned i = 0; copies && i < code->n_segments; i++) {
        const struct segment *segment = &code->segments[i];
        const uint8_t *bytes = copy_of(segment->bytes, segment->n_bytes);
        if (!bytes)
            return NULL;
        copies[i] = *segment;
        copies[i].bytes = bytes;
    }
    return copies;
}

const struct bench_code *nursery_copy_code(const struct bench_code *code) {
    struct bench_code *copy = nursery_alloc(sizeof *copy);
    const uint8_t *bytes = copy_of(code->bytes, code->n_bytes);
    const struct segment *segments = copy_segments(code);
    const struct bench_foreign *foreign = &code->foreign;
    const struct bench_patch *patches = copy_of(foreign->patches, foreign->n_patches * sizeof *patches);
    const struct bench_touch *touches = copy_of(foreign->touches, foreign->n_touches * sizeof *touches);
    if (!copy || !bytes || !segments || !patches || !touches)
        return NULL;
    *copy = *code;
    copy->bytes = bytes;
    copy->segments = segments;
    copy->foreign.patches = patches;
    copy->foreign.touches = touches;
    copy->chase.are_steps = NULL; // is for targets that simulate
    copy->body = code->body ? bytes + (code->body - code->bytes) : NULL;
    return copy;
}

pid_t nursery_start(void (*run)(void *argument), const void *argument, size_t argument_bytes, int *pidfd) {
    struct request request = {.run = run};
    struct answer answer;
    if (nursery.pid <= 0 || nursery.n_others > 0 || argument_bytes > sizeof request.argument)
        return -1;
    memcpy(request.argument, argument, argument_bytes);
    if (send(nursery.socket, &request, sizeof request, MSG_NOSIGNAL) != sizeof request ||
        !receive_answer(nursery.socket, &answer, pidfd))
        return -1;
    return answer.pid;
}
