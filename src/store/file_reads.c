/*
 * file_reads.c - pread and pwrite as SQLite calls them.
 */
#include "store/file_reads.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#include <sqlite3.h>

static _Thread_local bool failed;

static ssize_t read_or_tell(int fd, void *bytes, size_t count, off64_t at)
{
    ssize_t got = pread64(fd, bytes, count, at);

    if (got < 0 && errno != EINTR)
        failed = true;
    return got;
}

/* What is to be written may be made of what was not read. */
static ssize_t write_if_read(int fd, const void *bytes, size_t count, off64_t at)
{
    if (!failed)
        return pwrite64(fd, bytes, count, at);
    errno = EIO;
    return -1;
}

static void install(void)
{
    sqlite3_vfs *vfs = NULL;

    (void)sqlite3_initialize();
    vfs = sqlite3_vfs_find("unix");
    if (!vfs || vfs->iVersion < 3)
        return;
    /* Offsets have 64 bits in both; which one it calls is how it was built. */
    (void)vfs->xSetSystemCall(vfs, "pread", (sqlite3_syscall_ptr)read_or_tell);
    (void)vfs->xSetSystemCall(vfs, "pread64", (sqlite3_syscall_ptr)read_or_tell);
    (void)vfs->xSetSystemCall(vfs, "pwrite", (sqlite3_syscall_ptr)write_if_read);
    (void)vfs->xSetSystemCall(vfs, "pwrite64", (sqlite3_syscall_ptr)write_if_read);
}

void mn_file_reads_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, install);
}

bool mn_file_reads_failed(void)
{
    bool was = failed;

    failed = false;
    return was;
}
