/* SPDX-License-Identifier: GPL-2.0 */
/*
 * args.h - the types that arguments of system calls have
 *
 * A type knows what has to be read through the argument, and how it is written. Some look at other
 * arguments of the call too, and write nothing where the call takes no further one.
 */
#ifndef LBRSNOOP_SYSCALL_ARGS_H
#define LBRSNOOP_SYSCALL_ARGS_H

#include "syscall/print.h"

/**
 * struct arg_type - what an argument is
 * @print: writes argument @arg of @p->call
 * @names: for print_arg_choice(), print_arg_flags() and their like; may be NULL
 * @kind: enum syscall_read_kind
 * @count_at: SYSCALL_READ_COUNTED: from this argument to that with the count, 1 or -1
 * @unit: SYSCALL_READ_COUNTED: bytes of one element
 * @max: bytes to read
 */
struct arg_type {
	void (*print)(struct printer *p, unsigned int arg, const struct arg_type *type);
	const struct constants *names;
	uint8_t kind;
	int8_t count_at;
	uint8_t unit;
	uint8_t max;
};

/* Ways to write that several types have. */
void print_arg_int(struct printer *p, unsigned int arg, const struct arg_type *type);
void print_arg_address(struct printer *p, unsigned int arg, const struct arg_type *type);
void print_arg_string(struct printer *p, unsigned int arg, const struct arg_type *type);
void print_arg_buffer(struct printer *p, unsigned int arg, const struct arg_type *type);
/* Of an int: 32 bits count. */
void print_arg_choice(struct printer *p, unsigned int arg, const struct arg_type *type);
void print_arg_flags(struct printer *p, unsigned int arg, const struct arg_type *type);
void print_arg_flags64(struct printer *p, unsigned int arg, const struct arg_type *type);

#define ARG_CHOICE(table)                                                                          \
	{                                                                                          \
		.print = print_arg_choice, .names = &(table)                                       \
	}
#define ARG_FLAGS(table)                                                                           \
	{                                                                                          \
		.print = print_arg_flags, .names = &(table)                                        \
	}
#define ARG_FLAGS64(table)                                                                         \
	{                                                                                          \
		.print = print_arg_flags64, .names = &(table)                                      \
	}
#define ARG_STRUCT(function, size)                                                                 \
	{                                                                                          \
		.print = (function), .kind = SYSCALL_READ_BYTES, .max = (size)                     \
	}
#define ARG_COUNTED(function, at, size, room)                                                      \
	{                                                                                          \
		.print = (function), .kind = SYSCALL_READ_COUNTED, .count_at = (at),               \
		.unit = (size), .max = (room)                                                      \
	}

/* Characters of a string that are written: one less than what is read, for the NUL. */
#define STRING_SHOWN (SYSCALL_BYTES_MAX - 1)

/* args.c */
extern const struct arg_type arg_int;
extern const struct arg_type arg_fd;
extern const struct arg_type arg_uint;
extern const struct arg_type arg_long;
extern const struct arg_type arg_offset;
extern const struct arg_type arg_size;
extern const struct arg_type arg_hex;
extern const struct arg_type arg_hex32;
extern const struct arg_type arg_unused;
extern const struct arg_type arg_iovecs;
extern const struct arg_type arg_address;
extern const struct arg_type arg_output;
extern const struct arg_type arg_dirfd;
extern const struct arg_type arg_id;
extern const struct arg_type arg_path;
extern const struct arg_type arg_string;
extern const struct arg_type arg_buffer;
extern const struct arg_type arg_buffer_back;
extern const struct arg_type arg_int_pointer;
extern const struct arg_type arg_offset_pointer;
extern const struct arg_type arg_id_list;

/* args_fcntl.c */
extern const struct arg_type arg_fcntl_command;
extern const struct arg_type arg_fcntl_arg;

/* args_file.c */
extern const struct arg_type arg_mode;
extern const struct arg_type arg_open_flags;
extern const struct arg_type arg_open_mode;
extern const struct arg_type arg_open_bits;
extern const struct arg_type arg_open_how;
extern const struct arg_type arg_access_mode;
extern const struct arg_type arg_at_flags;
extern const struct arg_type arg_faccessat2_flags;
extern const struct arg_type arg_name_to_handle_flags;
extern const struct arg_type arg_statx_flags;
extern const struct arg_type arg_statx_mask;
extern const struct arg_type arg_whence;
extern const struct arg_type arg_mknod_mode;
extern const struct arg_type arg_mknod_device;
extern const struct arg_type arg_device;
extern const struct arg_type arg_flock;
extern const struct arg_type arg_rename_flags;
extern const struct arg_type arg_fallocate_mode;
extern const struct arg_type arg_fadvise;
extern const struct arg_type arg_splice_flags;
extern const struct arg_type arg_sync_range_flags;
extern const struct arg_type arg_rw_flags;
extern const struct arg_type arg_xattr_flags;
extern const struct arg_type arg_inotify_flags;
extern const struct arg_type arg_inotify_mask;
extern const struct arg_type arg_fanotify_init_flags;
extern const struct arg_type arg_fanotify_mark_flags;
extern const struct arg_type arg_fanotify_mask;
extern const struct arg_type arg_close_range_flags;
extern const struct arg_type arg_memfd_secret_flags;
extern const struct arg_type arg_memfd_flags;

/* args_ioctl.c */
extern const struct arg_type arg_ioctl_request;
extern const struct arg_type arg_ioctl_arg;

/* args_kernel.c */
extern const struct arg_type arg_futex_op;
extern const struct arg_type arg_futex_3;
extern const struct arg_type arg_futex_4;
extern const struct arg_type arg_futex_5;
extern const struct arg_type arg_futex_6;
extern const struct arg_type arg_key_serial;
extern const struct arg_type arg_keyctl_op;
extern const struct arg_type arg_keyctl_2;
extern const struct arg_type arg_keyctl_3;
extern const struct arg_type arg_keyctl_4;
extern const struct arg_type arg_keyctl_5;
extern const struct arg_type arg_bpf_command;
extern const struct arg_type arg_io_uring_params;
extern const struct arg_type arg_io_uring_enter_flags;
extern const struct arg_type arg_io_uring_register_op;
extern const struct arg_type arg_mq_mode;
extern const struct arg_type arg_mq_attr;
extern const struct arg_type arg_kexec_flags;
extern const struct arg_type arg_kexec_file_flags;
extern const struct arg_type arg_finit_module_flags;
extern const struct arg_type arg_delete_module_flags;
extern const struct arg_type arg_reboot_magic1;
extern const struct arg_type arg_reboot_magic2;
extern const struct arg_type arg_reboot_command;
extern const struct arg_type arg_reboot_arg;
extern const struct arg_type arg_syslog_action;
extern const struct arg_type arg_syslog_buffer;
extern const struct arg_type arg_syslog_size;
extern const struct arg_type arg_getrandom_flags;

/* args_memory.c */
extern const struct arg_type arg_prot;
extern const struct arg_type arg_map_flags;
extern const struct arg_type arg_mremap_flags;
extern const struct arg_type arg_mremap_address;
extern const struct arg_type arg_msync_flags;
extern const struct arg_type arg_madvise;
extern const struct arg_type arg_mlock2_flags;
extern const struct arg_type arg_mlockall_flags;
extern const struct arg_type arg_mempolicy;
extern const struct arg_type arg_mbind_flags;
extern const struct arg_type arg_get_mempolicy_flags;
extern const struct arg_type arg_userfaultfd_flags;
extern const struct arg_type arg_membarrier_command;
extern const struct arg_type arg_membarrier_flags;
extern const struct arg_type arg_membarrier_cpu;
extern const struct arg_type arg_pkey_rights;
extern const struct arg_type arg_ipc_key;
extern const struct arg_type arg_shm_get_flags;
extern const struct arg_type arg_ipc_get_flags;
extern const struct arg_type arg_shm_at_flags;
extern const struct arg_type arg_shm_ctl;
extern const struct arg_type arg_sem_ctl;
extern const struct arg_type arg_msg_ctl;
extern const struct arg_type arg_msg_queue_flags;
extern const struct arg_type arg_sembufs;

/* args_mount.c */
extern const struct arg_type arg_mount_type;
extern const struct arg_type arg_mount_flags;
extern const struct arg_type arg_mount_data;
extern const struct arg_type arg_umount_flags;
extern const struct arg_type arg_fsopen_flags;
extern const struct arg_type arg_fsconfig_command;
extern const struct arg_type arg_fsconfig_key;
extern const struct arg_type arg_fsconfig_value;
extern const struct arg_type arg_fsconfig_aux;
extern const struct arg_type arg_fsmount_flags;
extern const struct arg_type arg_mount_attr_flags;
extern const struct arg_type arg_fspick_flags;
extern const struct arg_type arg_move_mount_flags;
extern const struct arg_type arg_open_tree_flags;
extern const struct arg_type arg_mount_setattr_flags;
extern const struct arg_type arg_mount_attr;
extern const struct arg_type arg_swap_flags;
extern const struct arg_type arg_quota_command;
extern const struct arg_type arg_quota_id;
extern const struct arg_type arg_quota_address;

/* args_perf.c */
extern const struct arg_type arg_perf_attr;
extern const struct arg_type arg_perf_flags;

/* args_process.c */
extern const struct arg_type arg_clone;
extern const struct arg_type arg_clone_args;
extern const struct arg_type arg_unshare_flags;
extern const struct arg_type arg_setns_flags;
extern const struct arg_type arg_wait_flags;
extern const struct arg_type arg_wait_id_type;
extern const struct arg_type arg_rlimit_name;
extern const struct arg_type arg_rlimit;
extern const struct arg_type arg_rusage_who;
extern const struct arg_type arg_priority_which;
extern const struct arg_type arg_sched_policy;
extern const struct arg_type arg_sched_param;
extern const struct arg_type arg_sched_attr;
extern const struct arg_type arg_cpu_set;
extern const struct arg_type arg_ioprio_who;
extern const struct arg_type arg_ioprio;
extern const struct arg_type arg_personality;
extern const struct arg_type arg_seccomp_op;
extern const struct arg_type arg_seccomp_flags;
extern const struct arg_type arg_seccomp_arg;
extern const struct arg_type arg_landlock_ruleset;
extern const struct arg_type arg_landlock_create_flags;
extern const struct arg_type arg_landlock_rule_type;
extern const struct arg_type arg_landlock_rule;
extern const struct arg_type arg_kcmp_type;
extern const struct arg_type arg_kcmp_4;
extern const struct arg_type arg_kcmp_5;
extern const struct arg_type arg_pidfd_open_flags;
extern const struct arg_type arg_cap_header;
extern const struct arg_type arg_cap_data;
extern const struct arg_type arg_capability;

/* args_ptrace.c */
extern const struct arg_type arg_ptrace_request;
extern const struct arg_type arg_ptrace_pid;
extern const struct arg_type arg_ptrace_address;
extern const struct arg_type arg_ptrace_data;
extern const struct arg_type arg_prctl_option;
extern const struct arg_type arg_prctl_2;
extern const struct arg_type arg_prctl_3;
extern const struct arg_type arg_prctl_4;
extern const struct arg_type arg_prctl_5;
extern const struct arg_type arg_arch_prctl_code;
extern const struct arg_type arg_arch_prctl_arg;

/* args_sockaddr.c */
extern const struct arg_type arg_sockaddr;

/* args_socket.c */
extern const struct arg_type arg_family;
extern const struct arg_type arg_socket_type;
extern const struct arg_type arg_socket_flags;
extern const struct arg_type arg_socket_protocol;
extern const struct arg_type arg_msg_flags;
extern const struct arg_type arg_message;
extern const struct arg_type arg_received_message;
extern const struct arg_type arg_shutdown_how;
extern const struct arg_type arg_pollfds;
extern const struct arg_type arg_fd_set;
extern const struct arg_type arg_epoll_flags;
extern const struct arg_type arg_epoll_op;
extern const struct arg_type arg_epoll_event;
extern const struct arg_type arg_eventfd_flags;

/* args_sockopt.c */
extern const struct arg_type arg_sockopt_level;
extern const struct arg_type arg_sockopt_name;
extern const struct arg_type arg_sockopt_value;

/* args_time.c */
extern const struct arg_type arg_timespec;
extern const struct arg_type arg_timeval;
extern const struct arg_type arg_timespecs;
extern const struct arg_type arg_timevals;
extern const struct arg_type arg_utimbuf;
extern const struct arg_type arg_itimerspec;
extern const struct arg_type arg_itimerval;
extern const struct arg_type arg_clock;
extern const struct arg_type arg_itimer;
extern const struct arg_type arg_timer_flags;
extern const struct arg_type arg_timerfd_flags;
extern const struct arg_type arg_signal;
extern const struct arg_type arg_sigmask_how;
extern const struct arg_type arg_sigset;
extern const struct arg_type arg_sigaction;
extern const struct arg_type arg_sigstack;
extern const struct arg_type arg_sigevent;
extern const struct arg_type arg_signalfd_flags;

/* Names and ways to write that more than one file has. */
extern const struct constants socket_families;
extern const struct constants ether_protocols;

/** print_mode() - permissions, in octal */
void print_mode(struct printer *p, uint32_t mode);

/** print_open_flags() - of open(): the access mode, then the flags */
void print_open_flags(struct printer *p, uint64_t flags);

/** print_signal() - "SIGTERM", "SIGRT_1", or the number */
void print_signal(struct printer *p, int signal);

/** print_ether_protocol() - "htons(ETH_P_IP)" */
void print_ether_protocol(struct printer *p, uint16_t big_endian);

/** print_filter() - a struct sock_fprog, without its instructions */
void print_filter(struct printer *p, unsigned int arg);

#endif
