/* SPDX-License-Identifier: GPL-2.0 */
/* notify.h - tell the service manager how we are, see sd_notify(3) */
#ifndef LBRSNOOP_HOST_NOTIFY_H
#define LBRSNOOP_HOST_NOTIFY_H

/**
 * notify_send() - send "READY=1" and the like to $NOTIFY_SOCKET
 * Does nothing if there is none; what cannot be sent is not worth a word.
 */
void notify_send(const char *state);

#endif
