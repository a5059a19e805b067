#pragma once
#include <stddef.h>
#include <stdint.h>

// These functions are in C because accept4 and eventfd require _GNU_SOURCE, and because socket addresses are unions.

/// Listens on a numeric IPv4 or IPv6 address; port 0 stands for any free port, and `*port` receives the one in use.
///
/// Returns the socket, which does not block, or -1 with errno set: EDESTADDRREQ if `host` is no numeric address.
int csockets_listen(const char *host, uint16_t *port);

/// Accepts a connection; its socket does not block. Returns -1 with errno set.
///
/// `*network` receives the IPv4 address of the client, or the first 64 bits of its IPv6 address, because a client may
/// use all addresses that begin with these bits.
int csockets_accept(int listener, uint64_t *network);

/// Starts to connect to a numeric IPv4 or IPv6 address, which may have a zone (`fe80::1%eth0`).
///
/// Returns a socket that does not block; it becomes writable when `csockets_error` has the result. Returns -1 with
/// errno set on failure: EDESTADDRREQ if `host` is no numeric address. `*network` is as in `csockets_accept`.
int csockets_connect(const char *host, uint16_t port, uint64_t *network);

/// Returns the pending error of a socket, and clears it; 0 if there is none.
int csockets_error(int socket);

/// Stores the numeric address of the peer in the `size` bytes of `host`, and its port; -1 without a connection.
int csockets_peer(int socket, char *host, size_t size, uint16_t *port);

/// Creates a descriptor that `csockets_wake` makes readable; returns -1 with errno set on failure.
int csockets_make_wake(void);

/// Makes a descriptor of `csockets_make_wake` readable.
void csockets_wake(int wake);

/// Makes a descriptor of `csockets_make_wake` unreadable.
void csockets_clear_wake(int wake);

/// Blocks all signals for the calling thread, so that the signal handlers run on other threads of the process.
void csockets_block_signals(void);
