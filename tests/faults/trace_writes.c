/* Logs what a process does to the files of one folder, and what it prints, in one order.

   Loaded with LD_PRELOAD. TRACE_FOLDER is the folder, TRACE_LOG the file for the log.
   Every entry is a line "what path offset length\n" and then `length` bytes. A line of
   the standard output, logged before it is printed, is "line - 0 length\n" and its text.

   An operation on a file is logged before it is done, but a sync after it: so that an
   operation counts as synced only where it was surely done before the sync. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void put(int fd, const void *data, size_t length)
{
    while (length > 0) {
        ssize_t done = syscall(SYS_write, fd, data, length);
        if (done <= 0)
            abort();
        data = (const char *)data + done;
        length -= (size_t)done;
    }
}

static void note(const char *what, const char *path, off_t offset, const void *data, size_t length)
{
    static int log = -1;
    char head[PATH_MAX + 80];
    pthread_mutex_lock(&mutex);
    if (log < 0)
        log = (int)syscall(SYS_openat, AT_FDCWD, getenv("TRACE_LOG"),
                           O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    put(log, head, (size_t)snprintf(head, sizeof head, "%s %s %lld %zu\n", what, path, (long long)offset, length));
    put(log, data, length);
    pthread_mutex_unlock(&mutex);
}

/* The path of an open file of the folder, or NULL for another. */
static const char *path_of(int fd, char path[PATH_MAX])
{
    const char *folder = getenv("TRACE_FOLDER");
    char link[40];
    if (folder == NULL)
        return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0)
        return NULL;
    path[length] = 0;
    return strncmp(path, folder, strlen(folder)) == 0 ? path : NULL;
}

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); \
    if (real == NULL) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset)
{
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    char path[PATH_MAX];
    if (path_of(fd, path))
        note("write", path, offset, data, length);
    return real(fd, data, length, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset)
{
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    char path[PATH_MAX];
    if (path_of(fd, path))
        note("write", path, (off_t)offset, data, length);
    return real(fd, data, length, offset);
}

ssize_t write(int fd, const void *data, size_t length)
{
    REAL(ssize_t, "write", int, const void *, size_t);
    char path[PATH_MAX];
    if (fd == STDOUT_FILENO)
        note("line", "-", 0, data, length);
    else if (path_of(fd, path))
        note("write", path, lseek(fd, 0, SEEK_CUR), data, length);
    return real(fd, data, length);
}

static int truncated(int fd, off_t length)
{
    char path[PATH_MAX];
    if (path_of(fd, path))
        note("truncate", path, length, "", 0);
    return (int)syscall(SYS_ftruncate, fd, length);
}

int ftruncate(int fd, off_t length) { return truncated(fd, length); }
int ftruncate64(int fd, off64_t length) { return truncated(fd, (off_t)length); }

static int synced(int fd, int done)
{
    char path[PATH_MAX];
    if (done == 0 && path_of(fd, path))
        note("sync", path, 0, "", 0);
    return done;
}

int fsync(int fd) { return synced(fd, (int)syscall(SYS_fsync, fd)); }
int fdatasync(int fd) { return synced(fd, (int)syscall(SYS_fdatasync, fd)); }

int unlink(const char *path)
{
    REAL(int, "unlink", const char *);
    const char *folder = getenv("TRACE_FOLDER");
    if (folder != NULL && strncmp(path, folder, strlen(folder)) == 0)
        note("unlink", path, 0, "", 0);
    return real(path);
}
