// SPDX-License-Identifier: Apache-2.0
#pragma once

// The type checks of curl/typecheck-gcc.h are macros around the variadic functions; the typed
// wrappers below take their place.
#define CURL_DISABLE_TYPECHECK 1

#include <curl/curl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

// curl_easy_setopt is variadic, which Swift can't call: one wrapper for each kind of argument.

static inline CURLcode pollard_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode pollard_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode pollard_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode pollard_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode pollard_curl_set_bytes(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode pollard_curl_set_list(
    CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

typedef size_t (*pollard_curl_data_callback)(char *bytes, size_t size, size_t count, void *user);

static inline CURLcode pollard_curl_set_data_callback(
    CURL *easy, CURLoption option, pollard_curl_data_callback value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode pollard_curl_set_seek_callback(CURL *easy, curl_seek_callback value) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode pollard_curl_set_request_callback(CURL *easy, curl_prereq_callback value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode pollard_curl_set_socket_opener(CURL *easy, curl_opensocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

// curl_easy_getinfo is variadic too.

static inline CURLcode pollard_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode pollard_curl_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode pollard_curl_get_text(CURL *easy, CURLINFO info, const char **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode pollard_curl_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode pollard_curl_get_certificates(CURL *easy, struct curl_certinfo **value) {
    return curl_easy_getinfo(easy, CURLINFO_CERTINFO, value);
}

// So is curl_multi_setopt.

static inline CURLMcode pollard_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode pollard_curl_multi_set_pointer(
    CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode pollard_curl_multi_set_socket_callback(
    CURLM *multi, curl_socket_callback value) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}

static inline CURLMcode pollard_curl_multi_set_timer_callback(
    CURLM *multi, curl_multi_timer_callback value) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

// CURL_GLOBAL_ALL is an expression macro, which Swift doesn't import.
static inline CURLcode pollard_curl_global_init(void) { return curl_global_init(CURL_GLOBAL_ALL); }

// CURLMsg holds its result in a union: the handle that is done, or NULL for another message.
static inline CURL *pollard_curl_message_done(const CURLMsg *message, CURLcode *result) {
    if (message->msg != CURLMSG_DONE) return NULL;
    *result = message->data.result;
    return message->easy_handle;
}

// struct epoll_event is packed on x86-64 and holds a union: Swift would lay it out differently.

// Its data is the descriptor and a mark of the caller's.

static inline int pollard_epoll_control(
    int epoll, int operation, int descriptor, uint32_t events, uint32_t mark) {
    struct epoll_event event = {
        .events = events, .data = {.u64 = (uint64_t)mark << 32 | (uint32_t)descriptor}};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

struct pollard_epoll_ready {
    int descriptor;
    uint32_t events;
    uint32_t mark;
};

enum { pollard_epoll_batch = 256 };

static inline int pollard_epoll_wait(
    int epoll, struct pollard_epoll_ready *ready, int milliseconds) {
    struct epoll_event events[pollard_epoll_batch];
    int count = epoll_wait(epoll, events, pollard_epoll_batch, milliseconds);
    for (int i = 0; i < count; i++) {
        ready[i].descriptor = (int)(uint32_t)events[i].data.u64;
        ready[i].mark = (uint32_t)(events[i].data.u64 >> 32);
        ready[i].events = events[i].events;
    }
    return count;
}

// Other macros of casts.
static const size_t pollard_curl_write_pause = CURL_WRITEFUNC_PAUSE;
static const size_t pollard_curl_read_abort = CURL_READFUNC_ABORT;
static const long pollard_curl_auth_digest = CURLAUTH_DIGEST;

// CURL_SOCKET_TIMEOUT is defined through CURL_SOCKET_BAD, a chain that Swift doesn't import.
static const curl_socket_t pollard_curl_socket_timeout = CURL_SOCKET_TIMEOUT;

// prctl is variadic; pthread_setname_np is not declared without _GNU_SOURCE.
static inline void pollard_thread_set_name(const char *name) { prctl(PR_SET_NAME, name); }
