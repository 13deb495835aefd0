// Each reading of the wall clock is a day away from the last one, and from the true time or not. Loaded before a program's
// libraries, it stands in front of theirs. The monotonic clocks stay as they are.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t away(void) {
  static unsigned readings;
  unsigned reading = __atomic_fetch_add(&readings, 1, __ATOMIC_RELAXED);
  return 86400 * (time_t)(reading % 3) - 86400;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = syscall(SYS_clock_gettime, clock, now);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += away();
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec fine;
  int failed = clock_gettime(CLOCK_REALTIME, &fine);
  (void)zone;
  now->tv_sec = fine.tv_sec;
  now->tv_usec = fine.tv_nsec / 1000;
  return failed;
}

time_t time(time_t *now) {
  struct timespec fine;
  clock_gettime(CLOCK_REALTIME, &fine);
  if (now) *now = fine.tv_sec;
  return fine.tv_sec;
}
