/* serve_tcp: a listening TCP socket for "ADDR:PORT" ("[::1]:0", "127.0.0.1:7777"). */
#ifndef BRIG_CMD_SERVE_TCP_H
#define BRIG_CMD_SERVE_TCP_H

#include "base/err.h"

#include <stddef.h>

#define SERVE_URL_BYTES 80u

/* The descriptor, or -errno with a text. `url` becomes "http://ADDR:PORT" with the port as bound.
 */
int serve_tcp_listen(const char *where, char url[SERVE_URL_BYTES], struct err *err) MUST_CHECK;

#endif
