// SPDX-License-Identifier: Apache-2.0
//
// The least that a C program needs to fetch a document at a steady pace, each time after a sleep.
//
//   paced URL COUNT PER-SECOND

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct body {
    char *bytes;
    size_t length, capacity;
};

static size_t receive(char *bytes, size_t size, size_t count, void *user) {
    struct body *body = user;
    size_t length = size * count;
    if (body->length + length > body->capacity) {
        body->capacity = (body->length + length) * 2;
        body->bytes = realloc(body->bytes, body->capacity);
    }
    memcpy(body->bytes + body->length, bytes, length);
    body->length += length;
    return length;
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv) {
    if (argc < 4) return 64;
    long count = atol(argv[2]), pause = 1000000000L / atol(argv[3]), failed = 0;
    struct body body = {0};
    curl_global_init(CURL_GLOBAL_ALL);
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, argv[1]);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &body);
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    double cpu = cpu_seconds();
    for (long i = 0; i < count; i++) {
        next.tv_nsec += pause;
        next.tv_sec += next.tv_nsec / 1000000000L;
        next.tv_nsec %= 1000000000L;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        body.length = 0;
        long status = 0;
        if (curl_easy_perform(easy)) failed++;
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        if (status != 200 || !body.length) failed++;
    }
    printf("{\"cpu_us\": %.2f, \"failed\": %ld}\n", (cpu_seconds() - cpu) * 1e6 / (double)count,
        failed);
    return failed ? 1 : 0;
}
