#include "hot/process_threads.h"

#include <dirent.h>
#include <stdlib.h>

size_t process_threads(struct arena *arena, pid_t pid, pid_t **tids) {
    DIR *folder = opendir(arena_printf(arena, "/proc/%d/task", (int)pid));
    size_t n = 0;
    *tids = NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid > 0)
            *ARENA_ADD(arena, *tids, n) = tid;
    }
    if (folder)
        closedir(folder);
    return n;
}
