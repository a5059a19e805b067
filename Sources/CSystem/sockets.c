#define _GNU_SOURCE
#include "sockets.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int close_and_fail(int descriptor) {
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

static uint16_t port_of(const struct sockaddr_storage *address) {
  if (address->ss_family == AF_INET6) return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
  return ntohs(((const struct sockaddr_in *)address)->sin_port);
}

static int listen_at(const struct addrinfo *address, uint16_t *port) {
  int listener = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0) return -1;
  int yes = 1;
  // A restart must not wait for the old connections' TIME_WAIT.
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener, address->ai_addr, address->ai_addrlen) || listen(listener, SOMAXCONN)) return close_and_fail(listener);
  struct sockaddr_storage bound;
  socklen_t size = sizeof bound;
  if (getsockname(listener, (struct sockaddr *)&bound, &size)) return close_and_fail(listener);
  *port = port_of(&bound);
  return listener;
}

// Frees the addresses and keeps errno.
static int done(struct addrinfo *addresses, int result) {
  int error = errno;
  freeaddrinfo(addresses);
  errno = error;
  return result;
}

// Returns NULL if the host is no numeric address. errno is then EDESTADDRREQ, because bind() may fail with EINVAL.
static struct addrinfo *numeric(const char *host, uint16_t port) {
  struct in_addr ipv4;
  // getaddrinfo() also accepts "*", "127.1" and other forms of inet_aton(), which are rejected here.
  int is_numeric = strchr(host, ':') || inet_pton(AF_INET, host, &ipv4) == 1;
  char service[8];
  snprintf(service, sizeof service, "%u", (unsigned)port);
  struct addrinfo hints = {
      .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  struct addrinfo *addresses = NULL;
  if (!is_numeric || getaddrinfo(host, service, &hints, &addresses)) addresses = NULL;
  if (!addresses) errno = EDESTADDRREQ;
  return addresses;
}

int csockets_listen(const char *host, uint16_t *port) {
  struct addrinfo *addresses = numeric(host, *port);
  return addresses ? done(addresses, listen_at(addresses, port)) : -1;
}

// The upper bits distinguish an IPv4 address from every network of IPv6.
static uint64_t network_of_ipv4(const void *bytes) {
  uint32_t address;
  memcpy(&address, bytes, sizeof address);
  return UINT64_C(0xffff00000000) | be32toh(address);
}

static uint64_t network_of(const struct sockaddr_storage *address) {
  if (address->ss_family != AF_INET6) return network_of_ipv4(&((const struct sockaddr_in *)address)->sin_addr);
  const struct in6_addr *host = &((const struct sockaddr_in6 *)address)->sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(host)) return network_of_ipv4(host->s6_addr + 12);
  uint64_t network;
  memcpy(&network, host->s6_addr, sizeof network);
  return be64toh(network);
}

// Each event is sent whole, so a wait for more data would only delay the event.
static void set_no_delay(int client) {
  int yes = 1;
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

static int connect_to(const struct addrinfo *address, uint64_t *network) {
  int client = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (client < 0) return -1;
  set_no_delay(client);
  struct sockaddr_storage peer = {0};
  memcpy(&peer, address->ai_addr, address->ai_addrlen);
  *network = network_of(&peer);
  if (connect(client, address->ai_addr, address->ai_addrlen) && errno != EINPROGRESS) return close_and_fail(client);
  return client;
}

int csockets_connect(const char *host, uint16_t port, uint64_t *network) {
  struct addrinfo *addresses = numeric(host, port);
  return addresses ? done(addresses, connect_to(addresses, network)) : -1;
}

int csockets_error(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) ? errno : error;
}

int csockets_peer(int socket, char *host, size_t size, uint16_t *port) {
  struct sockaddr_storage address = {0};
  socklen_t length = sizeof address;
  if (getpeername(socket, (struct sockaddr *)&address, &length)) return -1;
  *port = port_of(&address);
  return getnameinfo((struct sockaddr *)&address, length, host, (socklen_t)size, NULL, 0, NI_NUMERICHOST) ? -1 : 0;
}

int csockets_accept(int listener, uint64_t *network) {
  struct sockaddr_storage address = {0};
  socklen_t size = sizeof address;
  int client = accept4(listener, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  *network = network_of(&address);
  if (client >= 0) set_no_delay(client);
  return client;
}

int csockets_make_wake(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void csockets_wake(int wake) { eventfd_write(wake, 1); }

void csockets_clear_wake(int wake) {
  eventfd_t count;
  eventfd_read(wake, &count);
}

void csockets_block_signals(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
}
