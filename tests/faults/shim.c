/* Makes calls of the system fail, for tests of what a program does then. glibc on Linux:
 *
 *     gcc -shared -fPIC -O1 shim.c -o shim.so
 *     LD_PRELOAD=shim.so python ...
 *
 * In the process ctypes.CDLL("shim.so") gives fault_dir, fault_arm, fault_disarm and fault_calls. Calls are counted by
 * kind, and only those on files in one folder, or below it. Calls of the kernel without libc (as of Rust's rustix without
 * its feature use-libc), writes to mapped memory, and what libc's own streams (FILE *) do inside of libc are not seen.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    CREATE = 1,  /* open for writing, mkdir */
    WRITE = 2,   /* write, pwrite, writev, pwritev */
    SYNC = 3,    /* fsync, fdatasync of files */
    RENAME = 4,  /* rename, link: what gives a file its name */
    EXTEND = 5,  /* ftruncate, posix_fallocate */
    CLOSE = 6,   /* of a file that is open for writing; it is closed all the same, as Linux has it */
    UNLINK = 7,  /* unlink, rmdir */
    READ = 8,    /* read, pread */
    FOLDER = 9,  /* open, fsync and close of a folder */
    SEEK = 10,   /* lseek */
    LOCK = 11,   /* flock */
    OPEN = 12,   /* open for reading, and its close */
};
enum { NO, YES, SHORT };

static char folder[PATH_MAX];
static size_t length;
static atomic_int armed, code, sticky, fired;
static atomic_long nth, calls;

/* The folder, absolute and without links. */
void fault_dir(const char *path) {
    if (!realpath(path, folder))
        abort();
    length = strlen(folder);
}

/* Lets the n-th call from now on of one kind fail with errno `error`, and with `lasting` 1 all that follow. With `lasting`
 * 2 a write that is first to fail writes half of its bytes. A negative `error` kills the process before the call. */
void fault_arm(int op, long n, int error, int lasting) {
    armed = 0;
    nth = n;
    code = error;
    sticky = lasting;
    fired = 0;
    calls = 0;
    armed = op;
}

/* Ends it; whether a call failed. */
int fault_disarm(void) {
    armed = 0;
    return fired;
}

/* The calls of the kind since it was armed. */
long fault_calls(void) { return calls; }

static int in_folder(const char *path) {
    return length && !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

static int named(int at, const char *path) {
    char whole[2 * PATH_MAX], link[64];
    if (!length || !path)
        return 0;
    if (path[0] == '/')
        return in_folder(path);
    if (at == AT_FDCWD) {
        if (!getcwd(whole, PATH_MAX))
            return 0;
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", at);
        ssize_t n = readlink(link, whole, PATH_MAX - 1);
        if (n < 0)
            return 0;
        whole[n] = 0;
    }
    strcat(whole, "/");
    strncat(whole, path, PATH_MAX - 1);
    return in_folder(whole);
}

static int numbered(int fd) {
    char path[PATH_MAX], link[64];
    if (!length || !armed)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0)
        return 0;
    path[n] = 0;
    return in_folder(path);
}

static int is_folder(int fd) {
    struct stat about;
    return !fstat(fd, &about) && S_ISDIR(about.st_mode);
}

static int closing(int fd) {
    if (is_folder(fd))
        return FOLDER;
    return (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY ? OPEN : CLOSE;
}

/* Whether this call, which is on the folder's files, fails. */
static int fails(int op) {
    if (armed != op)
        return NO;
    long call = atomic_fetch_add(&calls, 1) + 1;
    if (call != nth && !(sticky && call > nth))
        return NO;
    fired = 1;
    if (code < 0)
        kill(getpid(), SIGKILL);
    errno = code;
    return sticky == 2 && call == nth ? SHORT : YES;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) \
        real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

/* Opening. */

static int opening(int at, const char *path, int flags) {
    if (!armed || !named(at, path))
        return NO;
    if ((flags & O_TMPFILE) == O_TMPFILE || (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT)
        return fails(CREATE);
    struct stat about;
    int kept = errno, folder = !fstatat(at, path, &about, 0) && S_ISDIR(about.st_mode);
    errno = kept;
    return fails(folder ? FOLDER : OPEN);
}

#define MODE \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0; \
    va_end(rest)

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, name, const char *, int, ...); \
        MODE; \
        return opening(AT_FDCWD, path, flags) ? -1 : real(path, flags, mode); \
    }
#define OPENS_AT(name) \
    int name(int at, const char *path, int flags, ...) { \
        REAL(int, name, int, const char *, int, ...); \
        MODE; \
        return opening(at, path, flags) ? -1 : real(at, path, flags, mode); \
    }
OPENS(open)
OPENS(open64)
OPENS(__open_2)
OPENS(__open64_2)
OPENS_AT(openat)
OPENS_AT(openat64)
OPENS_AT(__openat_2)
OPENS_AT(__openat64_2)

#define CREATS(name) \
    int name(const char *path, mode_t mode) { \
        REAL(int, name, const char *, mode_t); \
        return armed && named(AT_FDCWD, path) && fails(CREATE) ? -1 : real(path, mode); \
    }
CREATS(creat)
CREATS(creat64)
CREATS(mkdir)

/* Reading and writing. */

ssize_t write(int fd, const void *bytes, size_t n) {
    REAL(ssize_t, write, int, const void *, size_t);
    int how = numbered(fd) ? fails(WRITE) : NO;
    return how == YES || (how && n < 2) ? -1 : real(fd, bytes, how ? n / 2 : n);
}

#define PWRITES(name) \
    ssize_t name(int fd, const void *bytes, size_t n, off_t at) { \
        REAL(ssize_t, name, int, const void *, size_t, off_t); \
        int how = numbered(fd) ? fails(WRITE) : NO; \
        return how == YES || (how && n < 2) ? -1 : real(fd, bytes, how ? n / 2 : n, at); \
    }
PWRITES(pwrite)
PWRITES(pwrite64)

ssize_t writev(int fd, const struct iovec *parts, int n) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    return numbered(fd) && fails(WRITE) ? -1 : real(fd, parts, n);
}

#define PWRITEVS(name) \
    ssize_t name(int fd, const struct iovec *parts, int n, off_t at) { \
        REAL(ssize_t, name, int, const struct iovec *, int, off_t); \
        return numbered(fd) && fails(WRITE) ? -1 : real(fd, parts, n, at); \
    }
PWRITEVS(pwritev)
PWRITEVS(pwritev64)

ssize_t read(int fd, void *bytes, size_t n) {
    REAL(ssize_t, read, int, void *, size_t);
    return numbered(fd) && fails(READ) ? -1 : real(fd, bytes, n);
}

#define PREADS(name) \
    ssize_t name(int fd, void *bytes, size_t n, off_t at) { \
        REAL(ssize_t, name, int, void *, size_t, off_t); \
        return numbered(fd) && fails(READ) ? -1 : real(fd, bytes, n, at); \
    }
PREADS(pread)
PREADS(pread64)

#define SEEKS(name) \
    off_t name(int fd, off_t to, int whence) { \
        REAL(off_t, name, int, off_t, int); \
        return numbered(fd) && fails(SEEK) ? -1 : real(fd, to, whence); \
    }
SEEKS(lseek)
SEEKS(lseek64)

/* The rest on open files. */

#define ON_FILE(name, op) \
    int name(int fd) { \
        REAL(int, name, int); \
        return numbered(fd) && fails(op) ? -1 : real(fd); \
    }
ON_FILE(fsync, is_folder(fd) ? FOLDER : SYNC)
ON_FILE(fdatasync, is_folder(fd) ? FOLDER : SYNC)

int close(int fd) {
    REAL(int, close, int);
    int failing = numbered(fd) && fails(closing(fd)), error = errno;
    int closed = real(fd);
    if (failing)
        errno = error;
    return failing ? -1 : closed;
}

#define EXTENDS(name) \
    int name(int fd, off_t to) { \
        REAL(int, name, int, off_t); \
        return numbered(fd) && fails(EXTEND) ? -1 : real(fd, to); \
    }
EXTENDS(ftruncate)
EXTENDS(ftruncate64)

/* This one gives the error as its result. */
#define RESERVES(name) \
    int name(int fd, off_t from, off_t n) { \
        REAL(int, name, int, off_t, off_t); \
        return numbered(fd) && fails(EXTEND) ? code : real(fd, from, n); \
    }
RESERVES(posix_fallocate)
RESERVES(posix_fallocate64)

int flock(int fd, int how) {
    REAL(int, flock, int, int);
    return numbered(fd) && fails(LOCK) ? -1 : real(fd, how);
}

/* Names. */

#define GOES(name) \
    int name(const char *path) { \
        REAL(int, name, const char *); \
        return armed && named(AT_FDCWD, path) && fails(UNLINK) ? -1 : real(path); \
    }
GOES(unlink)
GOES(rmdir)

int unlinkat(int at, const char *path, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    return armed && named(at, path) && fails(UNLINK) ? -1 : real(at, path, flags);
}

#define RENAMES(name) \
    int name(const char *from, const char *to) { \
        REAL(int, name, const char *, const char *); \
        return armed && named(AT_FDCWD, to) && fails(RENAME) ? -1 : real(from, to); \
    }
RENAMES(rename)
RENAMES(link)

int renameat(int at, const char *from, int onto, const char *to) {
    REAL(int, renameat, int, const char *, int, const char *);
    return armed && named(onto, to) && fails(RENAME) ? -1 : real(at, from, onto, to);
}

int renameat2(int at, const char *from, int onto, const char *to, unsigned flags) {
    REAL(int, renameat2, int, const char *, int, const char *, unsigned);
    return armed && named(onto, to) && fails(RENAME) ? -1 : real(at, from, onto, to, flags);
}

int linkat(int at, const char *from, int onto, const char *to, int flags) {
    REAL(int, linkat, int, const char *, int, const char *, int);
    return armed && named(onto, to) && fails(RENAME) ? -1 : real(at, from, onto, to, flags);
}
