// SPDX-License-Identifier: GPL-2.0
/* Sockets, but for their addresses and options; what is waited for. */
#include "syscall/args.h"

#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/eventpoll.h>
#include <linux/fcntl.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/netlink.h>

#include "syscall/newer.h"

/* bits/socket.h of libc; include/linux/socket.h of the kernel */
static const struct constant socket_families_rows[] = {
	CONSTANT(AF_UNSPEC),	 CONSTANT(AF_UNIX),	 CONSTANT(AF_INET),
	CONSTANT(AF_AX25),	 CONSTANT(AF_IPX),	 CONSTANT(AF_APPLETALK),
	CONSTANT(AF_NETROM),	 CONSTANT(AF_BRIDGE),	 CONSTANT(AF_ATMPVC),
	CONSTANT(AF_X25),	 CONSTANT(AF_INET6),	 CONSTANT(AF_ROSE),
	CONSTANT(AF_DECnet),	 CONSTANT(AF_NETBEUI),	 CONSTANT(AF_SECURITY),
	CONSTANT(AF_KEY),	 CONSTANT(AF_NETLINK),	 CONSTANT(AF_PACKET),
	CONSTANT(AF_ASH),	 CONSTANT(AF_ECONET),	 CONSTANT(AF_ATMSVC),
	CONSTANT(AF_RDS),	 CONSTANT(AF_SNA),	 CONSTANT(AF_IRDA),
	CONSTANT(AF_PPPOX),	 CONSTANT(AF_WANPIPE),	 CONSTANT(AF_LLC),
	CONSTANT(AF_IB),	 CONSTANT(AF_MPLS),	 CONSTANT(AF_CAN),
	CONSTANT(AF_TIPC),	 CONSTANT(AF_BLUETOOTH), CONSTANT(AF_IUCV),
	CONSTANT(AF_RXRPC),	 CONSTANT(AF_ISDN),	 CONSTANT(AF_PHONET),
	CONSTANT(AF_IEEE802154), CONSTANT(AF_CAIF),	 CONSTANT(AF_ALG),
	CONSTANT(AF_NFC),	 CONSTANT(AF_VSOCK),	 CONSTANT(AF_KCM),
	CONSTANT(AF_QIPCRTR),	 CONSTANT(AF_SMC),	 CONSTANT(AF_XDP),
	CONSTANT(AF_MCTP),
};
const struct constants socket_families = CONSTANTS(socket_families_rows, "AF_???");

/* bits/socket_type.h of libc */
static const struct constant types_rows[] = {
	CONSTANT(SOCK_STREAM),	  CONSTANT(SOCK_DGRAM), CONSTANT(SOCK_RAW),    CONSTANT(SOCK_RDM),
	CONSTANT(SOCK_SEQPACKET), CONSTANT(SOCK_DCCP),	CONSTANT(SOCK_PACKET),
};
static const struct constants types = CONSTANTS(types_rows, NULL);

/* bits/socket_type.h of libc */
static const struct constant type_bits_rows[] = {
	CONSTANT(SOCK_CLOEXEC),
	CONSTANT(SOCK_NONBLOCK),
};
static const struct constants type_bits = CONSTANTS(type_bits_rows, "SOCK_???");

/* linux/in.h, linux/in6.h */
static const struct constant ip_protocols_rows[] = {
	CONSTANT(IPPROTO_IP),	   CONSTANT(IPPROTO_ICMP),     CONSTANT(IPPROTO_IGMP),
	CONSTANT(IPPROTO_IPIP),	   CONSTANT(IPPROTO_TCP),      CONSTANT(IPPROTO_EGP),
	CONSTANT(IPPROTO_PUP),	   CONSTANT(IPPROTO_UDP),      CONSTANT(IPPROTO_IDP),
	CONSTANT(IPPROTO_TP),	   CONSTANT(IPPROTO_DCCP),     CONSTANT(IPPROTO_IPV6),
	CONSTANT(IPPROTO_ROUTING), CONSTANT(IPPROTO_FRAGMENT), CONSTANT(IPPROTO_RSVP),
	CONSTANT(IPPROTO_GRE),	   CONSTANT(IPPROTO_ESP),      CONSTANT(IPPROTO_AH),
	CONSTANT(IPPROTO_ICMPV6),  CONSTANT(IPPROTO_NONE),     CONSTANT(IPPROTO_DSTOPTS),
	CONSTANT(IPPROTO_MTP),	   CONSTANT(IPPROTO_BEETPH),   CONSTANT(IPPROTO_ENCAP),
	CONSTANT(IPPROTO_PIM),	   CONSTANT(IPPROTO_COMP),     CONSTANT(IPPROTO_L2TP),
	CONSTANT(IPPROTO_SCTP),	   CONSTANT(IPPROTO_MH),       CONSTANT(IPPROTO_UDPLITE),
	CONSTANT(IPPROTO_MPLS),	   CONSTANT(IPPROTO_ETHERNET), CONSTANT(IPPROTO_RAW),
	CONSTANT(IPPROTO_SMC),	   CONSTANT(IPPROTO_MPTCP),
};
static const struct constants ip_protocols = CONSTANTS(ip_protocols_rows, "IPPROTO_???");

/* linux/netlink.h */
static const struct constant netlink_protocols_rows[] = {
	CONSTANT(NETLINK_ROUTE),      CONSTANT(NETLINK_UNUSED),
	CONSTANT(NETLINK_USERSOCK),   CONSTANT(NETLINK_FIREWALL),
	CONSTANT(NETLINK_SOCK_DIAG),  CONSTANT(NETLINK_NFLOG),
	CONSTANT(NETLINK_XFRM),	      CONSTANT(NETLINK_SELINUX),
	CONSTANT(NETLINK_ISCSI),      CONSTANT(NETLINK_AUDIT),
	CONSTANT(NETLINK_FIB_LOOKUP), CONSTANT(NETLINK_CONNECTOR),
	CONSTANT(NETLINK_NETFILTER),  CONSTANT(NETLINK_IP6_FW),
	CONSTANT(NETLINK_DNRTMSG),    CONSTANT(NETLINK_KOBJECT_UEVENT),
	CONSTANT(NETLINK_GENERIC),    CONSTANT(NETLINK_SCSITRANSPORT),
	CONSTANT(NETLINK_ECRYPTFS),   CONSTANT(NETLINK_RDMA),
	CONSTANT(NETLINK_CRYPTO),     CONSTANT(NETLINK_SMC),
};
static const struct constants netlink_protocols = CONSTANTS(netlink_protocols_rows, "NETLINK_???");

/* include/net/bluetooth/bluetooth.h */
static const struct constant bluetooth_protocols_rows[] = {
	{0, "BTPROTO_L2CAP"}, {1, "BTPROTO_HCI"},  {2, "BTPROTO_SCO"},	{3, "BTPROTO_RFCOMM"},
	{4, "BTPROTO_BNEP"},  {5, "BTPROTO_CMTP"}, {6, "BTPROTO_HIDP"}, {7, "BTPROTO_AVDTP"},
};
static const struct constants bluetooth_protocols =
	CONSTANTS(bluetooth_protocols_rows, "BTPROTO_???");

/* linux/if_ether.h */
static const struct constant ether_protocols_rows[] = {
	CONSTANT(ETH_P_LOOP),	  CONSTANT(ETH_P_PUP),	    CONSTANT(ETH_P_IP),
	CONSTANT(ETH_P_X25),	  CONSTANT(ETH_P_ARP),	    CONSTANT(ETH_P_RARP),
	CONSTANT(ETH_P_8021Q),	  CONSTANT(ETH_P_IPV6),	    CONSTANT(ETH_P_PAUSE),
	CONSTANT(ETH_P_SLOW),	  CONSTANT(ETH_P_MPLS_UC),  CONSTANT(ETH_P_MPLS_MC),
	CONSTANT(ETH_P_PPP_DISC), CONSTANT(ETH_P_PPP_SES),  CONSTANT(ETH_P_PAE),
	CONSTANT(ETH_P_8021AD),	  CONSTANT(ETH_P_LLDP),	    CONSTANT(ETH_P_MACSEC),
	CONSTANT(ETH_P_1588),	  CONSTANT(ETH_P_NCSI),	    CONSTANT(ETH_P_FCOE),
	CONSTANT(ETH_P_FIP),	  CONSTANT(ETH_P_LOOPBACK), CONSTANT(ETH_P_802_3),
	CONSTANT(ETH_P_AX25),	  CONSTANT(ETH_P_ALL),	    CONSTANT(ETH_P_802_2),
	CONSTANT(ETH_P_SNAP),	  CONSTANT(ETH_P_CAN),	    CONSTANT(ETH_P_CANFD),
};
const struct constants ether_protocols = CONSTANTS(ether_protocols_rows, "ETH_P_???");

/* include/linux/socket.h */
static const struct constant message_bits_rows[] = {
	CONSTANT(MSG_OOB),	    CONSTANT(MSG_PEEK),
	CONSTANT(MSG_DONTROUTE),    CONSTANT(MSG_CTRUNC),
	CONSTANT(MSG_PROBE),	    CONSTANT(MSG_TRUNC),
	CONSTANT(MSG_DONTWAIT),	    CONSTANT(MSG_EOR),
	CONSTANT(MSG_WAITALL),	    CONSTANT(MSG_FIN),
	CONSTANT(MSG_SYN),	    CONSTANT(MSG_CONFIRM),
	CONSTANT(MSG_RST),	    CONSTANT(MSG_ERRQUEUE),
	CONSTANT(MSG_NOSIGNAL),	    CONSTANT(MSG_MORE),
	CONSTANT(MSG_WAITFORONE),   CONSTANT(MSG_SENDPAGE_NOTLAST),
	CONSTANT(MSG_BATCH),	    CONSTANT(MSG_NO_SHARED_FRAGS),
	CONSTANT(MSG_ZEROCOPY),	    CONSTANT(MSG_FASTOPEN),
	CONSTANT(MSG_CMSG_CLOEXEC), CONSTANT(MSG_CMSG_COMPAT),
};
static const struct constants message_bits = CONSTANTS(message_bits_rows, "MSG_???");

/* sys/socket.h of libc */
static const struct constant shutdown_hows_rows[] = {
	CONSTANT(SHUT_RD),
	CONSTANT(SHUT_WR),
	CONSTANT(SHUT_RDWR),
};
static const struct constants shutdown_hows = CONSTANTS(shutdown_hows_rows, "SHUT_???");

/* linux/eventpoll.h */
static const struct constant epoll_ops_rows[] = {
	CONSTANT(EPOLL_CTL_ADD),
	CONSTANT(EPOLL_CTL_DEL),
	CONSTANT(EPOLL_CTL_MOD),
};
static const struct constants epoll_ops = CONSTANTS(epoll_ops_rows, "EPOLL_CTL_???");

/* linux/eventpoll.h */
static const struct constant epoll_bits_rows[] = {
	CONSTANT(EPOLL_CLOEXEC),
};
static const struct constants epoll_bits = CONSTANTS(epoll_bits_rows, "EPOLL_???");

/* linux/eventpoll.h */
static const struct constant epoll_events_rows[] = {
	CONSTANT(EPOLLIN),	  CONSTANT(EPOLLPRI),	 CONSTANT(EPOLLOUT),
	CONSTANT(EPOLLERR),	  CONSTANT(EPOLLHUP),	 CONSTANT(EPOLLNVAL),
	CONSTANT(EPOLLRDNORM),	  CONSTANT(EPOLLRDBAND), CONSTANT(EPOLLWRNORM),
	CONSTANT(EPOLLWRBAND),	  CONSTANT(EPOLLMSG),	 CONSTANT(EPOLLRDHUP),
	CONSTANT(EPOLLEXCLUSIVE), CONSTANT(EPOLLWAKEUP), CONSTANT(EPOLLONESHOT),
	CONSTANT(EPOLLET),
};
static const struct constants epoll_events = CONSTANTS(epoll_events_rows, "EPOLL???");

/* asm-generic/poll.h */
static const struct constant poll_events_rows[] = {
	CONSTANT(POLLIN),     CONSTANT(POLLPRI),    CONSTANT(POLLOUT),	  CONSTANT(POLLRDNORM),
	CONSTANT(POLLWRNORM), CONSTANT(POLLRDBAND), CONSTANT(POLLWRBAND), CONSTANT(POLLERR),
	CONSTANT(POLLHUP),    CONSTANT(POLLNVAL),   CONSTANT(POLLMSG),	  CONSTANT(POLLREMOVE),
	CONSTANT(POLLRDHUP),
};
static const struct constants poll_events = CONSTANTS(poll_events_rows, "POLL???");

/* include/linux/eventfd.h */
static const struct constant eventfd_bits_rows[] = {
	CONSTANT(EFD_SEMAPHORE),
	CONSTANT(EFD_CLOEXEC),
	CONSTANT(EFD_NONBLOCK),
};
static const struct constants eventfd_bits = CONSTANTS(eventfd_bits_rows, "EFD_???");

static void print_socket_type(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint32_t flags = (uint32_t)p->call->args[arg];
	const char *name = constant_name(&types, flags & 0xf);

	(void)type;
	if (name) {
		print_text(p, "%s", name);
		flags &= ~0xfU;
		if (!flags)
			return;
		print_text(p, "|");
	}
	print_flags(p, flags, &type_bits);
}

/* The family is two arguments before. */
static void print_protocol(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint32_t protocol = (uint32_t)p->call->args[arg];

	(void)type;
	switch ((int)p->call->args[arg - 2]) {
	case AF_INET:
	case AF_INET6:
		print_choice(p, protocol, &ip_protocols);
		break;
	case AF_NETLINK:
		print_choice(p, protocol, &netlink_protocols);
		break;
	case AF_BLUETOOTH:
		print_choice(p, protocol, &bluetooth_protocols);
		break;
	case AF_PACKET:
		print_ether_protocol(p, (uint16_t)protocol);
		break;
	default:
		print_text(p, "%u", protocol);
	}
}

void print_ether_protocol(struct printer *p, uint16_t big_endian)
{
	print_text(p, "htons(");
	print_choice(p, (uint16_t)(big_endian << 8 | big_endian >> 8), &ether_protocols);
	print_text(p, ")");
}

/* struct user_msghdr of include/linux/socket.h; what it points to is not read */
static void print_message(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const uint8_t *blob = printer_blob(p, arg, sizeof(struct msghdr));
	struct msghdr message;

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&message, blob, sizeof(message));
	print_text(p, "{msg_name=");
	print_address(p, (uintptr_t)message.msg_name);
	print_text(p, ", msg_namelen=%d, msg_iov=", (int)message.msg_namelen);
	print_address(p, (uintptr_t)message.msg_iov);
	print_text(p, ", msg_iovlen=%zu", message.msg_iovlen);
	if (message.msg_control || message.msg_controllen) {
		print_text(p, ", msg_control=");
		print_address(p, (uintptr_t)message.msg_control);
	}
	print_text(p, ", msg_controllen=%zu, msg_flags=", message.msg_controllen);
	print_flags(p, (uint32_t)message.msg_flags, &message_bits);
	print_text(p, "}");
}

/* Of a message to be received, all but the room for the address is the kernel's to write. */
static void print_received_message(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const uint8_t *blob = printer_blob(p, arg, sizeof(struct msghdr));
	struct msghdr message;

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&message, blob, sizeof(message));
	print_text(p, "{msg_namelen=%d}", (int)message.msg_namelen);
}

static void print_pollfd(struct printer *p, const struct pollfd *fd)
{
	print_text(p, "{fd=%d", fd->fd);
	if (fd->fd >= 0) {
		print_text(p, ", events=");
		print_flags(p, (uint16_t)fd->events, &poll_events);
	}
	print_text(p, "}");
}

static void print_pollfds(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint64_t count = (uint32_t)p->call->args[(int)arg + type->count_at];
	const uint8_t *blob = printer_blob(p, arg, 0);
	size_t there = p->call->blobs[arg].len / sizeof(struct pollfd);
	struct pollfd fd;

	if (p->call->args[arg] && !count) {
		print_text(p, "[]");
		return;
	}
	if (!blob || !there) {
		print_arg_address(p, arg, type);
		return;
	}
	print_text(p, "[");
	for (size_t i = 0; i < there && i < count; i++) {
		memcpy(&fd, blob + i * sizeof(fd), sizeof(fd));
		if (i)
			print_text(p, ", ");
		print_pollfd(p, &fd);
	}
	print_text(p, there < count ? ", ...]" : "]");
}

/* How many bits there are is the first argument. */
static void print_fd_set(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	int count = (int)p->call->args[0];
	const uint8_t *blob = printer_blob(p, arg, SYSCALL_BYTES_MAX);
	const char *before = "";

	if (!blob || count < 0 || count > SYSCALL_BYTES_MAX * 8) {
		print_arg_address(p, arg, type);
		return;
	}
	print_text(p, "[");
	for (int fd = 0; fd < count; fd++) {
		if (!(blob[fd / 8] >> fd % 8 & 1))
			continue;
		print_text(p, "%s%d", before, fd);
		before = " ";
	}
	print_text(p, "]");
}

static void print_epoll_event(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, sizeof(struct epoll_event));
	struct epoll_event event;

	if (!blob || p->call->args[1] == EPOLL_CTL_DEL) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&event, blob, sizeof(event));
	print_text(p, "{events=");
	print_flags(p, event.events, &epoll_events);
	print_text(p, ", data={u32=%u, u64=%" PRIu64 "}}", (uint32_t)event.data,
		   (uint64_t)event.data);
}

const struct arg_type arg_family = ARG_CHOICE(socket_families);
const struct arg_type arg_socket_type = {.print = print_socket_type};
const struct arg_type arg_socket_flags = ARG_FLAGS(type_bits);
const struct arg_type arg_socket_protocol = {.print = print_protocol};
const struct arg_type arg_msg_flags = ARG_FLAGS(message_bits);
const struct arg_type arg_message = ARG_STRUCT(print_message, sizeof(struct msghdr));
const struct arg_type arg_received_message =
	ARG_STRUCT(print_received_message, sizeof(struct msghdr));
const struct arg_type arg_shutdown_how = ARG_CHOICE(shutdown_hows);
const struct arg_type arg_pollfds = ARG_COUNTED(print_pollfds, 1, sizeof(struct pollfd), 128);
const struct arg_type arg_fd_set = ARG_STRUCT(print_fd_set, SYSCALL_BYTES_MAX);
const struct arg_type arg_epoll_flags = ARG_FLAGS(epoll_bits);
const struct arg_type arg_epoll_op = ARG_CHOICE(epoll_ops);
const struct arg_type arg_epoll_event = ARG_STRUCT(print_epoll_event, sizeof(struct epoll_event));
const struct arg_type arg_eventfd_flags = ARG_FLAGS(eventfd_bits);
