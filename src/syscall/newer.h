/* SPDX-License-Identifier: GPL-2.0 */
/*
 * newer.h - constants that the headers of Debian 12, of Linux 6.1, do not have
 *
 * Included behind them. Those of enumerations are numbers in their tables.
 */
#ifndef LBRSNOOP_SYSCALL_NEWER_H
#define LBRSNOOP_SYSCALL_NEWER_H

/* asm/prctl.h: 6.6 */
#ifndef ARCH_SHSTK_ENABLE
#define ARCH_SHSTK_ENABLE 0x5001
#endif
#ifndef ARCH_SHSTK_DISABLE
#define ARCH_SHSTK_DISABLE 0x5002
#endif
#ifndef ARCH_SHSTK_LOCK
#define ARCH_SHSTK_LOCK 0x5003
#endif
#ifndef ARCH_SHSTK_UNLOCK
#define ARCH_SHSTK_UNLOCK 0x5004
#endif
#ifndef ARCH_SHSTK_STATUS
#define ARCH_SHSTK_STATUS 0x5005
#endif

/* linux/fcntl.h: 6.3 to 6.13 */
#ifndef F_SEAL_EXEC
#define F_SEAL_EXEC 0x20
#endif
#ifndef F_DUPFD_QUERY
#define F_DUPFD_QUERY 1027
#endif
#ifndef F_CREATED_QUERY
#define F_CREATED_QUERY 1028
#endif
#ifndef AT_HANDLE_FID
#define AT_HANDLE_FID 0x200
#endif
#ifndef AT_HANDLE_MNT_ID_UNIQUE
#define AT_HANDLE_MNT_ID_UNIQUE 0x1
#endif
#ifndef AT_HANDLE_CONNECTABLE
#define AT_HANDLE_CONNECTABLE 0x2
#endif

/* linux/falloc.h: 6.17 */
#ifndef FALLOC_FL_WRITE_ZEROES
#define FALLOC_FL_WRITE_ZEROES 0x80
#endif

/* linux/fanotify.h: 6.14 and 6.15; FAN_DIR_MODIFY of 5.7 alone */
#ifndef FAN_DIR_MODIFY
#define FAN_DIR_MODIFY 0x80000
#endif
#ifndef FAN_PRE_ACCESS
#define FAN_PRE_ACCESS 0x100000
#endif
#ifndef FAN_MNT_ATTACH
#define FAN_MNT_ATTACH 0x1000000
#endif
#ifndef FAN_MNT_DETACH
#define FAN_MNT_DETACH 0x2000000
#endif
#ifndef FAN_REPORT_FD_ERROR
#define FAN_REPORT_FD_ERROR 0x2000
#endif
#ifndef FAN_REPORT_MNT
#define FAN_REPORT_MNT 0x4000
#endif

/* linux/fs.h: 6.9 to 6.14 */
#ifndef RWF_NOAPPEND
#define RWF_NOAPPEND 0x20
#endif
#ifndef RWF_ATOMIC
#define RWF_ATOMIC 0x40
#endif
#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE 0x80
#endif

/* linux/in.h: 6.11 */
#ifndef IPPROTO_SMC
#define IPPROTO_SMC 256
#endif

/* linux/io_uring.h: 6.5 to 6.18 */
#ifndef IORING_SETUP_NO_MMAP
#define IORING_SETUP_NO_MMAP 0x4000
#endif
#ifndef IORING_SETUP_REGISTERED_FD_ONLY
#define IORING_SETUP_REGISTERED_FD_ONLY 0x8000
#endif
#ifndef IORING_SETUP_NO_SQARRAY
#define IORING_SETUP_NO_SQARRAY 0x10000
#endif
#ifndef IORING_SETUP_HYBRID_IOPOLL
#define IORING_SETUP_HYBRID_IOPOLL 0x20000
#endif
#ifndef IORING_SETUP_CQE_MIXED
#define IORING_SETUP_CQE_MIXED 0x40000
#endif
#ifndef IORING_ENTER_ABS_TIMER
#define IORING_ENTER_ABS_TIMER 0x20
#endif
#ifndef IORING_ENTER_EXT_ARG_REG
#define IORING_ENTER_EXT_ARG_REG 0x40
#endif
#ifndef IORING_ENTER_NO_IOWAIT
#define IORING_ENTER_NO_IOWAIT 0x80
#endif

/* linux/kexec.h: 6.6 to 6.17 */
#ifndef KEXEC_UPDATE_ELFCOREHDR
#define KEXEC_UPDATE_ELFCOREHDR 0x4
#endif
#ifndef KEXEC_CRASH_HOTPLUG_SUPPORT
#define KEXEC_CRASH_HOTPLUG_SUPPORT 0x8
#endif
#ifndef KEXEC_FILE_DEBUG
#define KEXEC_FILE_DEBUG 0x8
#endif
#ifndef KEXEC_FILE_NO_CMA
#define KEXEC_FILE_NO_CMA 0x10
#endif

/* linux/landlock.h: 6.2, 6.10 and 6.15 */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif
#ifndef LANDLOCK_CREATE_RULESET_ERRATA
#define LANDLOCK_CREATE_RULESET_ERRATA 0x2
#endif

/* asm-generic/mman-common.h, linux/mman.h, asm/mman.h: 6.6 to 6.13 */
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif
#ifndef MADV_GUARD_REMOVE
#define MADV_GUARD_REMOVE 103
#endif
#ifndef MAP_ABOVE4G
#define MAP_ABOVE4G 0x80
#endif
#ifndef MAP_DROPPABLE
#define MAP_DROPPABLE 0x8
#endif

/* linux/memfd.h: 6.3 */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x8
#endif
#ifndef MFD_EXEC
#define MFD_EXEC 0x10
#endif

/* linux/mount.h: 6.5 */
#ifndef MOVE_MOUNT_BENEATH
#define MOVE_MOUNT_BENEATH 0x200
#endif

/* linux/if_packet.h: 6.5 */
#ifndef PACKET_VNET_HDR_SZ
#define PACKET_VNET_HDR_SZ 24
#endif

/* linux/perf_event.h: 6.3 */
#ifndef PERF_ATTR_SIZE_VER8
#define PERF_ATTR_SIZE_VER8 136
#endif

/* linux/prctl.h: 6.3 and 6.4 */
#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif
#ifndef PR_GET_MDWE
#define PR_GET_MDWE 66
#endif
#ifndef PR_SET_MEMORY_MERGE
#define PR_SET_MEMORY_MERGE 67
#endif
#ifndef PR_GET_MEMORY_MERGE
#define PR_GET_MEMORY_MERGE 68
#endif

/* linux/ptrace.h: 6.4 and 6.16 */
#ifndef PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG
#define PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG 0x4210
#endif
#ifndef PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG
#define PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG 0x4211
#endif
#ifndef PTRACE_SET_SYSCALL_INFO
#define PTRACE_SET_SYSCALL_INFO 0x4212
#endif

/* linux/quota.h: 6.6 */
#ifndef QFMT_SHMEM
#define QFMT_SHMEM 5
#endif

/* linux/securebits.h: 6.14 */
#ifndef SECBIT_EXEC_RESTRICT_FILE
#define SECBIT_EXEC_RESTRICT_FILE 0x100
#endif
#ifndef SECBIT_EXEC_RESTRICT_FILE_LOCKED
#define SECBIT_EXEC_RESTRICT_FILE_LOCKED 0x200
#endif
#ifndef SECBIT_EXEC_DENY_INTERACTIVE
#define SECBIT_EXEC_DENY_INTERACTIVE 0x400
#endif
#ifndef SECBIT_EXEC_DENY_INTERACTIVE_LOCKED
#define SECBIT_EXEC_DENY_INTERACTIVE_LOCKED 0x800
#endif

/* asm-generic/socket.h: 6.5 to 6.17 */
#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD 76
#endif
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef SO_DEVMEM_LINEAR
#define SO_DEVMEM_LINEAR 78
#endif
#ifndef SO_DEVMEM_DMABUF
#define SO_DEVMEM_DMABUF 79
#endif
#ifndef SO_DEVMEM_DONTNEED
#define SO_DEVMEM_DONTNEED 80
#endif
#ifndef SO_RCVPRIORITY
#define SO_RCVPRIORITY 82
#endif
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif
#ifndef SO_INQ
#define SO_INQ 84
#endif

/* linux/stat.h: 6.8 to 6.14 */
#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x4000
#endif
#ifndef STATX_SUBVOL
#define STATX_SUBVOL 0x8000
#endif
#ifndef STATX_WRITE_ATOMIC
#define STATX_WRITE_ATOMIC 0x10000
#endif
#ifndef STATX_DIO_READ_ALIGN
#define STATX_DIO_READ_ALIGN 0x20000
#endif

/* asm/unistd_64.h: 6.5 to 6.18 */
#ifndef __NR_uretprobe
#define __NR_uretprobe 335
#endif
#ifndef __NR_uprobe
#define __NR_uprobe 336
#endif
#ifndef __NR_cachestat
#define __NR_cachestat 451
#endif
#ifndef __NR_fchmodat2
#define __NR_fchmodat2 452
#endif
#ifndef __NR_map_shadow_stack
#define __NR_map_shadow_stack 453
#endif
#ifndef __NR_futex_wake
#define __NR_futex_wake 454
#endif
#ifndef __NR_futex_wait
#define __NR_futex_wait 455
#endif
#ifndef __NR_futex_requeue
#define __NR_futex_requeue 456
#endif
#ifndef __NR_statmount
#define __NR_statmount 457
#endif
#ifndef __NR_listmount
#define __NR_listmount 458
#endif
#ifndef __NR_lsm_get_self_attr
#define __NR_lsm_get_self_attr 459
#endif
#ifndef __NR_lsm_set_self_attr
#define __NR_lsm_set_self_attr 460
#endif
#ifndef __NR_lsm_list_modules
#define __NR_lsm_list_modules 461
#endif
#ifndef __NR_mseal
#define __NR_mseal 462
#endif
#ifndef __NR_setxattrat
#define __NR_setxattrat 463
#endif
#ifndef __NR_getxattrat
#define __NR_getxattrat 464
#endif
#ifndef __NR_listxattrat
#define __NR_listxattrat 465
#endif
#ifndef __NR_removexattrat
#define __NR_removexattrat 466
#endif
#ifndef __NR_open_tree_attr
#define __NR_open_tree_attr 467
#endif
#ifndef __NR_file_getattr
#define __NR_file_getattr 468
#endif
#ifndef __NR_file_setattr
#define __NR_file_setattr 469
#endif

/* Names of the kernel's own headers, which no header for user space has, or none that fits. */

/* include/linux/eventfd.h */
#ifndef EFD_SEMAPHORE
#define EFD_SEMAPHORE 0x1
#endif
#ifndef EFD_CLOEXEC
#define EFD_CLOEXEC 02000000
#endif
#ifndef EFD_NONBLOCK
#define EFD_NONBLOCK 04000
#endif

/* include/linux/fs.h */
#ifndef MNT_FORCE
#define MNT_FORCE 0x1
#endif
#ifndef MNT_DETACH
#define MNT_DETACH 0x2
#endif
#ifndef MNT_EXPIRE
#define MNT_EXPIRE 0x4
#endif
#ifndef UMOUNT_NOFOLLOW
#define UMOUNT_NOFOLLOW 0x8
#endif

/* include/linux/socket.h */
#ifndef MSG_PROBE
#define MSG_PROBE 0x10
#endif
#ifndef MSG_SENDPAGE_NOTLAST
#define MSG_SENDPAGE_NOTLAST 0x20000
#endif
#ifndef MSG_NO_SHARED_FRAGS
#define MSG_NO_SHARED_FRAGS 0x80000
#endif
#ifndef MSG_CMSG_COMPAT
#define MSG_CMSG_COMPAT 0x80000000
#endif
#ifndef SOL_IP
#define SOL_IP 0
#endif
#ifndef SOL_TCP
#define SOL_TCP 6
#endif
#ifndef SOL_UDP
#define SOL_UDP 17
#endif
#ifndef SOL_IPV6
#define SOL_IPV6 41
#endif
#ifndef SOL_ICMPV6
#define SOL_ICMPV6 58
#endif
#ifndef SOL_CAN_BASE
#define SOL_CAN_BASE 100
#endif
#ifndef SOL_SCTP
#define SOL_SCTP 132
#endif
#ifndef SOL_UDPLITE
#define SOL_UDPLITE 136
#endif
#ifndef SOL_IPX
#define SOL_IPX 256
#endif
#ifndef SOL_AX25
#define SOL_AX25 257
#endif
#ifndef SOL_ATALK
#define SOL_ATALK 258
#endif
#ifndef SOL_NETROM
#define SOL_NETROM 259
#endif
#ifndef SOL_ROSE
#define SOL_ROSE 260
#endif
#ifndef SOL_SMC
#define SOL_SMC 286
#endif
#ifndef SOL_VSOCK
#define SOL_VSOCK 287
#endif

/* include/linux/splice.h */
#ifndef SPLICE_F_MOVE
#define SPLICE_F_MOVE 0x1
#endif
#ifndef SPLICE_F_NONBLOCK
#define SPLICE_F_NONBLOCK 0x2
#endif
#ifndef SPLICE_F_MORE
#define SPLICE_F_MORE 0x4
#endif
#ifndef SPLICE_F_GIFT
#define SPLICE_F_GIFT 0x8
#endif

/* include/linux/swap.h */
#ifndef SWAP_FLAG_PRIO_MASK
#define SWAP_FLAG_PRIO_MASK 0x7fff
#endif
#ifndef SWAP_FLAG_PREFER
#define SWAP_FLAG_PREFER 0x8000
#endif
#ifndef SWAP_FLAG_DISCARD
#define SWAP_FLAG_DISCARD 0x10000
#endif
#ifndef SWAP_FLAG_DISCARD_ONCE
#define SWAP_FLAG_DISCARD_ONCE 0x20000
#endif
#ifndef SWAP_FLAG_DISCARD_PAGES
#define SWAP_FLAG_DISCARD_PAGES 0x40000
#endif

/* asm/signal.h, which libc's signal.h excludes */
#ifndef SA_RESTORER
#define SA_RESTORER 0x04000000
#endif
#ifndef SA_UNSUPPORTED
#define SA_UNSUPPORTED 0x400
#endif
#ifndef SA_EXPOSE_TAGBITS
#define SA_EXPOSE_TAGBITS 0x800
#endif

#endif
