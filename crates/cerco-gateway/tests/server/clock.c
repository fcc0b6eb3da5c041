/* The wall clock of a process, set wrong by as many seconds as the file CERCO_TEST_CLOCK
   says. The clock that counts from the start of the machine is left alone, as it is when a
   person or a time server sets the wall clock. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long wrong_by(void) {
    const char *path = getenv("CERCO_TEST_CLOCK");
    long by = 0;
    FILE *file = path ? fopen(path, "r") : NULL;
    if (file) {
        if (fscanf(file, "%ld", &by) != 1) by = 0;
        fclose(file);
    }
    return by;
}

int clock_gettime(clockid_t id, struct timespec *to) {
    int done = (int)syscall(SYS_clock_gettime, id, to);
    if (done == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) to->tv_sec += wrong_by();
    return done;
}

int gettimeofday(struct timeval *restrict to, void *restrict zone) {
    (void)zone;
    struct timespec now;
    int done = clock_gettime(CLOCK_REALTIME, &now);
    if (done == 0 && to) {
        to->tv_sec = now.tv_sec;
        to->tv_usec = now.tv_nsec / 1000;
    }
    return done;
}

time_t time(time_t *to) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return (time_t)-1;
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}
