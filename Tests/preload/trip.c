// SPDX-License-Identifier: Apache-2.0
//
// A library for LD_PRELOAD that lets a program trip over one of its own calls: the program is as it
// is delivered, and the test says at which call it is killed, stopped or held up.
//
//     TRIP_AT    calls that must come in this order, separated by '|', each as CALL or
//                CALL TEXT, where TEXT occurs in what the call is about:
//                    step TEXT   sqlite3_step    of a statement with this SQL
//                    pwrite TEXT pwrite          to a file with this path
//                    sync TEXT   fsync, fdatasync
//                    write TEXT  write           of these bytes
//                    rename TEXT rename          to this path
//                    send TEXT   sendmsg         of these bytes
//                It trips over the last of them, before the call is made.
//     TRIP_DO    kill    SIGKILL to the process
//                stop    SIGSTOP to the process
//                hold    this thread never goes on
//                slow    this call takes TRIP_SECONDS longer
//     TRIP_FILE  a file; as long as it is not there, nothing trips. None: always
//
// It trips once. Without TRIP_AT nothing happens.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { maximum_subject = 1 << 16 };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static const char *rest; // of TRIP_AT, from the call that must come next
static bool is_read;

// Whether the call is the last one of TRIP_AT, after the others; called with the lock held.
static bool is_reached(const char *call, const char *subject, size_t size) {
    if (!is_read) {
        rest = getenv("TRIP_AT");
        is_read = true;
    }
    const char *file = getenv("TRIP_FILE");
    if (!rest || (file && access(file, F_OK) != 0)) return false;
    size_t length = strcspn(rest, "|");
    size_t name = strlen(call);
    if (length < name || memcmp(rest, call, name) != 0) return false;
    if (length > name) {
        if (rest[name] != ' ') return false;
        if (!memmem(subject, size, rest + name + 1, length - name - 1)) return false;
    }
    bool is_last = !rest[length];
    rest = is_last ? NULL : rest + length + 1;
    return is_last;
}

static void trip(const char *call, const char *subject, size_t size) {
    pthread_mutex_lock(&turn);
    bool is_now = is_reached(call, subject, size);
    pthread_mutex_unlock(&turn);
    if (!is_now) return;
    const char *action = getenv("TRIP_DO");
    if (!action) abort();
    if (strcmp(action, "slow") == 0) {
        const char *seconds = getenv("TRIP_SECONDS");
        if (!seconds) abort();
        sleep((unsigned)atoi(seconds));
    } else if (strcmp(action, "stop") == 0) {
        kill(getpid(), SIGSTOP);
    } else {
        if (strcmp(action, "kill") == 0) kill(getpid(), SIGKILL);
        while (true) pause();
    }
}

static void trip_over_file(const char *call, int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path);
    trip(call, path, length > 0 ? (size_t)length : 0);
}

#define ORIGINAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
    trip_over_file("pwrite", descriptor);
    return ORIGINAL(pwrite)(descriptor, bytes, size, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
    trip_over_file("pwrite", descriptor);
    return ORIGINAL(pwrite64)(descriptor, bytes, size, offset);
}

int fsync(int descriptor) {
    trip_over_file("sync", descriptor);
    return ORIGINAL(fsync)(descriptor);
}

int fdatasync(int descriptor) {
    trip_over_file("sync", descriptor);
    return ORIGINAL(fdatasync)(descriptor);
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
    trip("write", bytes, size);
    return ORIGINAL(write)(descriptor, bytes, size);
}

int rename(const char *from, const char *to) {
    trip("rename", to, strlen(to));
    return ORIGINAL(rename)(from, to);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
    static _Thread_local char subject[maximum_subject];
    size_t size = 0;
    for (size_t i = 0; i < message->msg_iovlen; i++) {
        const struct iovec *part = &message->msg_iov[i];
        size_t count = part->iov_len;
        if (count > sizeof subject - size) count = sizeof subject - size;
        memcpy(subject + size, part->iov_base, count);
        size += count;
    }
    trip("send", subject, size);
    return ORIGINAL(sendmsg)(descriptor, message, flags);
}

// Of libsqlite3, whose header this does not need.
int sqlite3_step(void *statement) {
    const char *(*text)(void *) = (const char *(*)(void *))dlsym(RTLD_NEXT, "sqlite3_sql");
    int (*original)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "sqlite3_step");
    const char *sql = text(statement);
    // SQLite itself steps through statements that have no text.
    if (sql) trip("step", sql, strlen(sql));
    return original(statement);
}
