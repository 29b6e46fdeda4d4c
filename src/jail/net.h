/*
 * net: the empty network namespace of a slot. Source: network_namespaces(7), netdevice(7).
 */
#ifndef BRIG_JAIL_NET_H
#define BRIG_JAIL_NET_H

#include "base/err.h"

/* Moves the caller into a new network namespace and returns its descriptor, or -errno. */
int net_make(struct err *err) MUST_CHECK;

/* Moves the caller into the one behind `net_fd`. */
int net_enter(int net_fd, struct err *err) MUST_CHECK;

/* 0 where every interface of the caller's namespace is down and none has an address, else
 * -ENOTUNIQ with a text. */
int net_check_pristine(struct err *err) MUST_CHECK;

#endif
