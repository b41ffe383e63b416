/*
 * joined_log.h - a commit's pages reach the log in one write.
 *
 * SQLite hands each page of a commit to the system twice, first its frame's header and then the page, and
 * asks for all of them to be durable at the end. Nobody looks at them before that, so they may as well
 * be handed over then, together. And the log grows in steps, ahead of them.
 */
#ifndef MN_STORE_JOINED_LOG_H
#define MN_STORE_JOINED_LOG_H

struct sqlite3;

/* The name under which a connection that writes is to be opened; NULL: as any other. */
const char *mn_joined_log_vfs(void);

/* To be called of a connection that was opened so, before its first transaction. */
void mn_joined_log_watch(struct sqlite3 *handle);
/* A statement failed and left no transaction that writes. SQLite tells its hook of no rollback by
 * VACUUM. */
void mn_joined_log_let_go(struct sqlite3 *handle);

#endif
