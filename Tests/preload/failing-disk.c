// SPDX-License-Identifier: Apache-2.0

// A disk that fails, for a process that has this library in LD_PRELOAD: while a file `disk-fails`
// is beside a file, fdatasync(2) and fsync(2) of that file give EIO, as they do when the kernel
// could not write what it had accepted.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int fails(int descriptor) {
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - sizeof "disk-fails");
    if (length <= 0) return 0;
    path[length] = 0;
    char *name = strrchr(path, '/');
    if (!name) return 0;
    strcpy(name + 1, "disk-fails");
    return access(path, F_OK) == 0;
}

static int synchronize(const char *call, int descriptor) {
    if (fails(descriptor)) {
        errno = EIO;
        return -1;
    }
    int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, call);
    return original(descriptor);
}

int fsync(int descriptor) { return synchronize("fsync", descriptor); }

int fdatasync(int descriptor) { return synchronize("fdatasync", descriptor); }
