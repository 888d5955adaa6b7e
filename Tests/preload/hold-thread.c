// SPDX-License-Identifier: Apache-2.0
//
// Holds one thread of another program, and no other, until that program ends.
//
//     hold-thread TID
//
// Says `held` once the thread no longer runs.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

int main(int count, char **arguments) {
    pid_t thread = count == 2 ? atoi(arguments[1]) : 0;
    int status;
    if (ptrace(PTRACE_SEIZE, thread, 0, 0) != 0 || ptrace(PTRACE_INTERRUPT, thread, 0, 0) != 0
        || waitpid(thread, &status, __WALL) != thread || !WIFSTOPPED(status)) {
        fprintf(stderr, "hold-thread: %s\n", strerror(errno));
        return 1;
    }
    puts("held");
    fflush(stdout);
    while (waitpid(thread, &status, __WALL) == thread && WIFSTOPPED(status)) {}
    return 0;
}
