// SPDX-License-Identifier: GPL-2.0
/* Addresses of sockets. */
#include "syscall/args.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <linux/if_arp.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>

/* linux/if_packet.h */
static const struct constant packet_types_rows[] = {
	CONSTANT(PACKET_HOST),	    CONSTANT(PACKET_BROADCAST), CONSTANT(PACKET_MULTICAST),
	CONSTANT(PACKET_OTHERHOST), CONSTANT(PACKET_OUTGOING),	CONSTANT(PACKET_LOOPBACK),
	CONSTANT(PACKET_USER),	    CONSTANT(PACKET_KERNEL),
};
static const struct constants packet_types = CONSTANTS(packet_types_rows, "PACKET_???");

/* linux/if_arp.h */
static const struct constant hardware_types_rows[] = {
	CONSTANT(ARPHRD_NETROM),    CONSTANT(ARPHRD_ETHER),
	CONSTANT(ARPHRD_IEEE802),   CONSTANT(ARPHRD_INFINIBAND),
	CONSTANT(ARPHRD_SLIP),	    CONSTANT(ARPHRD_CAN),
	CONSTANT(ARPHRD_PPP),	    CONSTANT(ARPHRD_TUNNEL),
	CONSTANT(ARPHRD_TUNNEL6),   CONSTANT(ARPHRD_LOOPBACK),
	CONSTANT(ARPHRD_SIT),	    CONSTANT(ARPHRD_IPGRE),
	CONSTANT(ARPHRD_IEEE80211), CONSTANT(ARPHRD_IEEE80211_RADIOTAP),
	CONSTANT(ARPHRD_NETLINK),   CONSTANT(ARPHRD_IP6GRE),
	CONSTANT(ARPHRD_VSOCKMON),  CONSTANT(ARPHRD_VOID),
	CONSTANT(ARPHRD_NONE),
};
static const struct constants hardware_types = CONSTANTS(hardware_types_rows, "ARPHRD_???");

/* linux/vm_sockets.h */
static const struct constant vm_addresses_rows[] = {
	CONSTANT(VMADDR_CID_HYPERVISOR),
	CONSTANT(VMADDR_CID_LOCAL),
	CONSTANT(VMADDR_CID_HOST),
};
static const struct constants vm_addresses = CONSTANTS(vm_addresses_rows, NULL);

/* sin6_scope_id came later: an address may end before it */
#define SIN6_MIN 24
#define SLL_MIN	 12

static void print_in(struct printer *p, const uint8_t *bytes)
{
	struct sockaddr_in in;
	char text[INET_ADDRSTRLEN] = "";

	memcpy(&in, bytes, sizeof(in));
	inet_ntop(AF_INET, &in.sin_addr, text, sizeof(text));
	print_text(p, ", sin_port=htons(%u), sin_addr=inet_addr(\"%s\")", ntohs(in.sin_port), text);
}

static void print_in6(struct printer *p, const uint8_t *bytes, size_t len)
{
	struct sockaddr_in6 in6 = {0};
	char text[INET6_ADDRSTRLEN] = "";

	memcpy(&in6, bytes, len < sizeof(in6) ? len : sizeof(in6));
	inet_ntop(AF_INET6, &in6.sin6_addr, text, sizeof(text));
	print_text(p, ", sin6_port=htons(%u), sin6_flowinfo=htonl(%u)", ntohs(in6.sin6_port),
		   ntohl(in6.sin6_flowinfo));
	print_text(p, ", inet_pton(AF_INET6, \"%s\", &sin6_addr)", text);
	if (len >= sizeof(in6))
		print_text(p, ", sin6_scope_id=%u", in6.sin6_scope_id);
}

/* An abstract name starts with a NUL and may hold more; a path ends at one. */
static void print_un(struct printer *p, const uint8_t *path, size_t len)
{
	if (!len)
		return;
	if (!*path && len > 1) {
		print_text(p, ", sun_path=@");
		print_quoted(p, path + 1, len - 1);
		return;
	}
	print_text(p, ", sun_path=");
	print_quoted(p, path, strnlen((const char *)path, len));
}

static void print_netlink(struct printer *p, const uint8_t *bytes)
{
	struct sockaddr_nl nl;

	memcpy(&nl, bytes, sizeof(nl));
	if (nl.nl_pad)
		print_text(p, ", nl_pad=%#x", nl.nl_pad);
	print_text(p, ", nl_pid=%d, nl_groups=%#08x", (int)nl.nl_pid, nl.nl_groups);
}

static void print_packet(struct printer *p, const uint8_t *bytes, size_t len)
{
	struct sockaddr_ll ll = {0};
	size_t room;

	memcpy(&ll, bytes, len < sizeof(ll) ? len : sizeof(ll));
	print_text(p, ", sll_protocol=");
	print_ether_protocol(p, ll.sll_protocol);
	print_text(p, ", sll_ifindex=%d, sll_hatype=", ll.sll_ifindex);
	print_choice(p, ll.sll_hatype, &hardware_types);
	print_text(p, ", sll_pkttype=");
	print_choice(p, ll.sll_pkttype, &packet_types);
	print_text(p, ", sll_halen=%u", ll.sll_halen);
	if (!ll.sll_halen)
		return;
	room = (len < sizeof(ll) ? len : sizeof(ll)) - SLL_MIN;
	print_text(p, ", sll_addr=[");
	for (size_t i = 0; i < ll.sll_halen && i < room; i++)
		print_text(p, "%s%#x", i ? ", " : "", ll.sll_addr[i]);
	print_text(p, ll.sll_halen > room ? ", ...]" : "]");
}

static void print_vm(struct printer *p, const uint8_t *bytes)
{
	struct sockaddr_vm vm;

	memcpy(&vm, bytes, sizeof(vm));
	print_text(p, ", svm_cid=");
	if (vm.svm_cid == VMADDR_CID_ANY)
		print_text(p, "VMADDR_CID_ANY");
	else
		print_choice(p, vm.svm_cid, &vm_addresses);
	if (vm.svm_port == VMADDR_PORT_ANY)
		print_text(p, ", svm_port=VMADDR_PORT_ANY");
	else
		print_text(p, ", svm_port=%#x", vm.svm_port);
	print_text(p, ", svm_flags=%#x", vm.svm_flags);
}

static void print_sockaddr(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const uint8_t *bytes = printer_blob(p, arg, sizeof(sa_family_t));
	size_t len = p->call->blobs[arg].len;
	sa_family_t family;

	if (!bytes || (int)p->call->args[arg + 1] < (int)sizeof(family)) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&family, bytes, sizeof(family));
	print_text(p, "{sa_family=");
	print_choice(p, family, &socket_families);
	if (family == AF_INET && len >= sizeof(struct sockaddr_in)) {
		print_in(p, bytes);
	} else if (family == AF_INET6 && len >= SIN6_MIN) {
		print_in6(p, bytes, len);
	} else if (family == AF_UNIX) {
		print_un(p, bytes + sizeof(family), len - sizeof(family));
	} else if (family == AF_NETLINK && len >= sizeof(struct sockaddr_nl)) {
		print_netlink(p, bytes);
	} else if (family == AF_PACKET && len >= SLL_MIN) {
		print_packet(p, bytes, len);
	} else if (family == AF_VSOCK && len >= sizeof(struct sockaddr_vm)) {
		print_vm(p, bytes);
	} else if (len > sizeof(family)) {
		print_text(p, ", sa_data=");
		print_quoted(p, bytes + sizeof(family), len - sizeof(family));
	}
	print_text(p, "}");
}

const struct arg_type arg_sockaddr = ARG_COUNTED(print_sockaddr, 1, 1, SYSCALL_BYTES_MAX);
