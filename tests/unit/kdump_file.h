/* SPDX-License-Identifier: GPL-2.0 */
/* kdump_file.h - places of fields of a kdump-compressed file with blocks of 4,096 bytes, in bytes
 */
#ifndef LBRSNOOP_TESTS_KDUMP_FILE_H
#define LBRSNOOP_TESTS_KDUMP_FILE_H

#define PAGE	     4096u
#define VERSION	     8
#define MACHINE	     272 /* of struct new_utsname */
#define MICROSECONDS 416
#define STATUS	     424
#define BLOCK_BYTES  428
#define SUB_BLOCKS   432
#define BITMAPS	     436
#define MAX_MAPNR    440
#define SUB_AT	     PAGE
#define SPLIT	     (SUB_AT + 12)
#define SPLIT_FIRST  (SUB_AT + 16)
#define SPLIT_END    (SUB_AT + 24)
#define INFO	     (SUB_AT + 32)
#define NOTE	     (SUB_AT + 48)
#define SPLIT_FIRST6 (SUB_AT + 80)
#define SPLIT_END6   (SUB_AT + 88)
#define MAX_MAPNR6   (SUB_AT + 96)

/* With one block of sub-header and a bitmap of one block each. */
#define BITMAPS_AT (2 * PAGE)
#define TABLE_AT   (4 * PAGE)

#endif
