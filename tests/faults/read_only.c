/* Makes a disk read-only under a running process, as a kernel does that found the disk failing.

   Loaded with LD_PRELOAD. As soon as there is a file READ_ONLY_WHEN, nothing can be written
   by offset, which is how SQLite writes. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

typedef ssize_t (*Write)(int, const void *, size_t, off64_t);

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset)
{
    static Write real;
    const char *when = getenv("READ_ONLY_WHEN");
    if (when != NULL && access(when, F_OK) == 0) {
        errno = EROFS;
        return -1;
    }
    if (real == NULL)
        real = (Write)dlsym(RTLD_NEXT, "pwrite64");
    return real(fd, data, length, offset);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset)
{
    return pwrite64(fd, data, length, offset);
}
