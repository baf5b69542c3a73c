/*
 * Loaded before the C library (LD_PRELOAD), makes writes and syncs of chosen files fail: what a disk does that
 * breaks, as far as a process can see. What to do stands in the file that FAILING_WRITES names, and is read anew
 * at each write: "<part of the path> <errno> <calls to let pass> <calls to fail, -1: all> <calls that failed>". An empty
 * file fails none.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

typedef ssize_t (*pwrite_type)(int, const void *, size_t, off64_t);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static pwrite_type real_pwrite(void) {
  static pwrite_type real;
  if (!real) real = (pwrite_type)dlsym(RTLD_NEXT, "pwrite64");
  return real;
}

static int is_named(int fd, const char *part) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, part) != NULL;
}

/* The errno that this call is to fail with, or 0. */
static int failure_of(int fd) {
  const char *orders = getenv("FAILING_WRITES");
  if (!orders) return 0;
  int file = open(orders, O_RDWR | O_CLOEXEC);
  if (file < 0) return 0;
  char text[512], part[256];
  int code = 0, pass = 0, fail = 0, failed = 0, result = 0;
  ssize_t length = read(file, text, sizeof text - 1);
  text[length > 0 ? length : 0] = 0;
  if (sscanf(text, "%255s %d %d %d %d", part, &code, &pass, &fail, &failed) == 5 && fail != 0 && is_named(fd, part)) {
    if (pass > 0) pass -= 1;
    else {
      result = code;
      failed += 1;
      if (fail > 0) fail -= 1;
    }
    length = snprintf(text, sizeof text, "%s %d %d %d %d          \n", part, code, pass, fail, failed);
    real_pwrite()(file, text, (size_t)length, 0);
  }
  close(file);
  return result;
}

static int fails(int fd) {
  pthread_mutex_lock(&lock);
  int code = failure_of(fd);
  pthread_mutex_unlock(&lock);
  if (code != 0) errno = code;
  return code != 0;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  return fails(fd) ? -1 : real_pwrite()(fd, bytes, count, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  return pwrite64(fd, bytes, count, at);
}

/* What writes at the file's end spares the standard streams. */
#define REPLACE(result, name, is_spared, parameters, ...)          \
  result name parameters {                                         \
    static result(*real) parameters;                               \
    if (!real) real = dlsym(RTLD_NEXT, #name);                     \
    return !(is_spared) && fails(fd) ? -1 : real(__VA_ARGS__);     \
  }

REPLACE(ssize_t, write, fd <= 2, (int fd, const void *bytes, size_t count), fd, bytes, count)
REPLACE(ssize_t, writev, fd <= 2, (int fd, const struct iovec *parts, int count), fd, parts, count)
REPLACE(int, fdatasync, 0, (int fd), fd)
REPLACE(int, fsync, 0, (int fd), fd)
