/* net: making, entering and checking an empty network namespace. */
#include "jail/net.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* nsfs without /proc: a socket knows its namespace. */
#define SIOCGSKNS_NUMBER 0x894C

#define INTERFACES_LOOKED_AT 16

int net_make(struct err *err)
{
	if (unshare(CLONE_NEWNET) < 0)
		return err_sys(err, -errno, "net", "unshare(CLONE_NEWNET)");
	cleanup_fd int socket_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (socket_fd < 0)
		return err_sys(err, -errno, "net", "socket");
	int net_fd = ioctl(socket_fd, SIOCGSKNS_NUMBER);
	if (net_fd < 0)
		return err_sys(err, -errno, "net", "SIOCGSKNS");
	return net_fd;
}

int net_enter(int net_fd, struct err *err)
{
	if (setns(net_fd, CLONE_NEWNET) < 0)
		return err_sys(err, -errno, "net", "setns");
	return 0;
}

/* Tunnel modules of some kernels put fallback interfaces into every namespace: they must be down.
 */
static int check_down(int socket_fd, int index, struct err *err)
{
	struct ifreq request;
	memset(&request, 0, sizeof(request));
	request.ifr_ifindex = index;
	if (ioctl(socket_fd, SIOCGIFNAME, &request) < 0)
		return 0;
	if (ioctl(socket_fd, SIOCGIFFLAGS, &request) < 0)
		return err_sys(err, -errno, "net", "reading an interface");
	if (request.ifr_flags & IFF_UP)
		return err_set(err, -ENOTUNIQ, "net", "interface %.15s is up", request.ifr_name);
	return 0;
}

int net_check_pristine(struct err *err)
{
	char addresses[4 * sizeof(struct ifreq)];
	struct ifconf all = {.ifc_len = sizeof(addresses), .ifc_buf = addresses};

	/* AF_UNIX sockets serve the interface ioctls too, with no address family to load. */
	cleanup_fd int socket_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (socket_fd < 0)
		return err_sys(err, -errno, "net", "socket");
	for (int index = 1; index <= INTERFACES_LOOKED_AT; index++) {
		int rc = check_down(socket_fd, index, err);
		if (rc < 0)
			return rc;
	}
	if (ioctl(socket_fd, SIOCGIFCONF, &all) == 0 && all.ifc_len > 0)
		return err_set(err, -ENOTUNIQ, "net", "an interface has an address");
	return 0;
}
