/*
 * loopback.c - a socket that listens on the loopback, for services that tests make.
 */
#include "fakes/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

int loopback_listen(int *ret_port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t bytes = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    if (listener < 0)
        return -1;
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 8) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &bytes) != 0) {
        close(listener);
        return -1;
    }
    *ret_port = ntohs(address.sin_port);
    return listener;
}
