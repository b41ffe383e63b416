/*
 * loopback.h - a socket that listens on the loopback, for services that tests make.
 */
#ifndef MN_FAKES_LOOPBACK_H
#define MN_FAKES_LOOPBACK_H

/* On a port that the system chooses; -1 when it cannot. close() it. */
int loopback_listen(int *ret_port);

#endif
