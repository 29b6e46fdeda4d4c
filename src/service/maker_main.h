/* maker_main: what the maker does. See maker.h. */
#ifndef BRIG_SERVICE_MAKER_MAIN_H
#define BRIG_SERVICE_MAKER_MAIN_H

/* Builds the cells' root, reports a struct err on `socket_fd`, then serves it. Never returns. */
_Noreturn void maker_main(int socket_fd);

#endif
