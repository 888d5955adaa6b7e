// SPDX-License-Identifier: Apache-2.0
#pragma once

// Without this, sd_journal_sendv is a macro that adds the place of the call in C, which Swift
// can't import; and a place in a wrapper says nothing to the reader of an entry.
#define SD_JOURNAL_SUPPRESS_LOCATION

#include <sys/prctl.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

// prctl(2) takes a variable number of arguments, so Swift can't import it.
static inline int pollard_set_undumpable(void) { return prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L); }
