// SPDX-License-Identifier: Apache-2.0
//
// The floor: the least that a C program on libcurl's multi interface needs for the same work.
//
//   floor requests URL COUNT IN-FLIGHT
//   floor waiting URL COUNT SILENT-URL WAITING
//
// It drives libcurl with epoll, sets the options that the transport sets, and makes of each answer
// what a caller of the transport gets: status, field lines as strings, a body of its own, the
// duration of each phase and the peer's address. The caller frees it.

#define _GNU_SOURCE
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>

#define MAXIMUM_FIELDS 64

struct field {
    char *name, *value;
};

struct response {
    long status, version;
    struct field fields[MAXIMUM_FIELDS];
    unsigned field_count;
    char *body;
    size_t length, capacity;
    char *url, address[64];
    curl_off_t phases[5];
};

struct transfer {
    struct response *response;
    bool is_waiting;
};

static CURLM *multi;
static int epoll;
static long deadline = -1;
static const char *url;
static long started, done, failed, total;

static long nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

static size_t receive_body(char *bytes, size_t size, size_t count, void *user) {
    struct response *response = ((struct transfer *)user)->response;
    size_t length = size * count;
    if (response->length + length > response->capacity) {
        response->capacity = (response->length + length) * 2;
        response->body = realloc(response->body, response->capacity);
    }
    memcpy(response->body + response->length, bytes, length);
    response->length += length;
    return length;
}

static size_t receive_header(char *bytes, size_t size, size_t count, void *user) {
    struct response *response = ((struct transfer *)user)->response;
    size_t length = size * count, end = length;
    char *colon = memchr(bytes, ':', length);
    while (end && (bytes[end - 1] == '\r' || bytes[end - 1] == '\n')) end--;
    if (!colon || response->field_count == MAXIMUM_FIELDS) return length;
    size_t name = (size_t)(colon - bytes), value = name + 1;
    while (value < end && bytes[value] == ' ') value++;
    struct field *field = &response->fields[response->field_count++];
    field->name = strndup(bytes, name);
    field->value = strndup(bytes + value, end - value);
    if (!strcasecmp(field->name, "Content-Length")) {
        response->capacity = (size_t)atol(field->value);
        response->body = malloc(response->capacity);
    }
    return length;
}

static void complete(struct response *response, CURL *easy) {
    static const CURLINFO infos[] = {
        CURLINFO_NAMELOOKUP_TIME_T, CURLINFO_CONNECT_TIME_T, CURLINFO_APPCONNECT_TIME_T,
        CURLINFO_PRETRANSFER_TIME_T, CURLINFO_STARTTRANSFER_TIME_T,
    };
    char *text = NULL;
    long port = 0;
    for (int i = 0; i < 5; i++) curl_easy_getinfo(easy, infos[i], &response->phases[i]);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &response->status);
    curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &response->version);
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_PORT, &port);
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &text);
    snprintf(response->address, sizeof response->address, "%s:%ld", text, port);
    curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &text);
    response->url = strdup(text);
}

static void discard(struct response *response) {
    for (unsigned i = 0; i < response->field_count; i++) {
        free(response->fields[i].name);
        free(response->fields[i].value);
    }
    free(response->body);
    free(response->url);
    free(response);
}

static int watch(CURL *easy, curl_socket_t socket, int wish, void *user, void *assigned) {
    (void)easy, (void)user;
    struct epoll_event event = {.data.fd = socket};
    if (wish == CURL_POLL_REMOVE) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, socket, &event);
        return 0;
    }
    if (wish & CURL_POLL_IN) event.events |= EPOLLIN;
    if (wish & CURL_POLL_OUT) event.events |= EPOLLOUT;
    if (assigned) {
        epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event);
    } else {
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event))
            epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event);
        curl_multi_assign(multi, socket, &epoll);
    }
    return 0;
}

static int set_timer(CURLM *handle, long milliseconds, void *user) {
    (void)handle, (void)user;
    deadline = milliseconds < 0 ? -1 : nanoseconds() + milliseconds * 1000000;
    return 0;
}

static CURL *make_handle(bool is_waiting) {
    CURL *easy = curl_easy_init();
    struct transfer *transfer = calloc(1, sizeof *transfer);
    transfer->is_waiting = is_waiting;
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive_body);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, receive_header);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    if (getenv("BENCHMARK_CA")) curl_easy_setopt(easy, CURLOPT_CAINFO, getenv("BENCHMARK_CA"));
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "floor/1");
    return easy;
}

static void start(CURL *easy, const char *target) {
    struct transfer *transfer;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&transfer);
    transfer->response = calloc(1, sizeof *transfer->response);
    curl_easy_setopt(easy, CURLOPT_URL, target);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 60000L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, 10000L);
    if (!transfer->is_waiting) started++;
    curl_multi_add_handle(multi, easy);
}

static void finish_transfers(void) {
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi, &left))) {
        CURL *easy = message->easy_handle;
        CURLcode result = message->data.result;
        struct transfer *transfer;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&transfer);
        struct response *response = transfer->response;
        complete(response, easy);
        curl_multi_remove_handle(multi, easy);
        if (!transfer->is_waiting) {
            if (result || response->status != 200 || !response->length) failed++;
            done++;
        }
        discard(response);
        if (transfer->is_waiting) continue;
        if (started < total) start(easy, url);
    }
}

static void run_until(long goal) {
    int running;
    struct epoll_event events[256];
    while (done < goal) {
        int milliseconds = -1;
        if (deadline >= 0 && deadline <= nanoseconds()) {
            deadline = -1;
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
            finish_transfers();
            continue;
        }
        if (deadline >= 0) milliseconds = (int)((deadline - nanoseconds() + 999999) / 1000000);
        int count = epoll_wait(epoll, events, 256, milliseconds < -1 ? 0 : milliseconds);
        for (int i = 0; i < count; i++) {
            int action = 0;
            if (events[i].events & EPOLLIN) action |= CURL_CSELECT_IN;
            if (events[i].events & EPOLLOUT) action |= CURL_CSELECT_OUT;
            if (events[i].events & (EPOLLERR | EPOLLHUP)) action |= CURL_CSELECT_ERR;
            curl_multi_socket_action(multi, events[i].data.fd, action, &running);
        }
        finish_transfers();
    }
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// Runs one request after the other for a while, which also lets what waits get connected.
static void settle(CURL *easy, long count) {
    total = started + count;
    start(easy, url);
    run_until(total);
}

int main(int argc, char **argv) {
    if (argc < 5) return 64;
    bool has_waiting = !strcmp(argv[1], "waiting");
    long count = atol(argv[3]), parallel = has_waiting ? 1 : atol(argv[4]);
    url = argv[2];
    curl_global_init(CURL_GLOBAL_ALL);
    multi = curl_multi_init();
    epoll = epoll_create1(EPOLL_CLOEXEC);
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 8192L);
    CURL *first = make_handle(false);
    if (has_waiting) {
        for (long i = 0; i < atol(argv[5]); i++) start(make_handle(true), argv[4]);
        settle(first, 2000);
    }
    double cpu = cpu_seconds();
    long time = nanoseconds();
    total = started + count;
    start(first, url);
    for (long i = 1; i < parallel; i++) start(make_handle(false), url);
    run_until(total);
    printf("{\"cpu_us\": %.2f, \"per_second\": %.0f, \"failed\": %ld}\n",
        (cpu_seconds() - cpu) * 1e6 / (double)count,
        (double)count * 1e9 / (double)(nanoseconds() - time), failed);
    return failed ? 1 : 0;
}
