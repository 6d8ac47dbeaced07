// A disk whose every fsync takes DET_FSYNC_DELAY_US microseconds longer: preloaded into PostgreSQL by bench/speed.py.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void delay(void) {
  const char* microseconds = getenv("DET_FSYNC_DELAY_US");
  if (microseconds != NULL) usleep((useconds_t)atoi(microseconds));
}

int fsync(int fd) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  delay();
  return next(fd);
}

int fdatasync(int fd) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  delay();
  return next(fd);
}
