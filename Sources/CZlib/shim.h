// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

// inflateInit2 is a macro that passes the version and the size of the structure.
static inline int pollard_zlib_start_inflate(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}
