/* links: descriptors by the image's name. */
#include "api/links.h"

#include "base/fd.h"
#include "wire/launch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void links_init(struct links *links)
{
	*links = (struct links){0};
}

void links_done(struct links *links)
{
	for (size_t i = 0; i < links->count; i++)
		fd_close(&links->link[i].fd);
	links->count = 0;
}

static int find(const struct links *links, const char *image)
{
	for (size_t i = 0; i < links->count; i++)
		if (strcmp(links->link[i].image, image) == 0)
			return (int)i;
	return -ENOENT;
}

int links_set(struct links *links, const char *image, int fd)
{
	const char fresh = LINK_FRESH;
	int index = find(links, image);
	if (index < 0 && links->count == LINKS_MAX) {
		fd_close(&fd);
		return -ENOSPC;
	}
	if (index < 0) {
		index = (int)links->count++;
		(void)snprintf(links->link[index].image, LINK_IMAGE_BYTES, "%s", image);
		links->link[index].fd = -1;
	}
	fd_close(&links->link[index].fd);
	links->link[index].fd = fd;
	links->link[index].why[0] = 0;
	links->link[index].epoch++;
	/* What a dispatcher before this one had begun there. */
	if (fd >= 0)
		(void)!fd_send(fd, &fresh, 1, NULL, 0);
	return 0;
}

uint64_t links_epoch(const struct links *links, const char *image)
{
	int index = find(links, image);
	return index < 0 ? 0 : links->link[index].epoch;
}

void links_note_why(struct links *links, const char *image, const char *why)
{
	int index = find(links, image);
	if (index >= 0)
		(void)snprintf(links->link[index].why, LINK_WHY_BYTES, "%s", why);
}

const char *links_why(const struct links *links)
{
	for (size_t i = 0; i < links->count; i++)
		if (links->link[i].fd < 0 && links->link[i].why[0])
			return links->link[i].why;
	return NULL;
}

bool links_ready(const struct links *links)
{
	for (size_t i = 0; i < links->count; i++)
		if (links->link[i].fd < 0)
			return false;
	return true;
}

/* Sends one end of a new stream socket over the link; the other is the caller's. */
static int send_end(const struct links *links, size_t index, char verb, int *ret_fd)
{
	int pair[2];
	if (links->link[index].fd < 0)
		return -EAGAIN;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	/* Non-blocking is the sender's affair: the service sets its own end. */
	ssize_t sent = fd_send(links->link[index].fd, &verb, 1, &pair[1], 1);
	int rc = sent < 0 ? (int)sent : fd_set_nonblock(pair[0], true);
	(void)close(pair[1]);
	if (rc < 0) {
		(void)close(pair[0]);
		return rc == -EPIPE || rc == -ECONNRESET || rc == -ENOTCONN ? -EAGAIN : rc;
	}
	*ret_fd = pair[0];
	return 0;
}

int links_channel(struct links *links, const char *image, int *ret_fd)
{
	int index = find(links, image);
	return index < 0 ? index : send_end(links, (size_t)index, LINK_CHANNEL, ret_fd);
}

int links_ask(struct links *links, size_t index, int *ret_fd)
{
	return send_end(links, index, LINK_STATS, ret_fd);
}
