# SPDX-License-Identifier: GPL-2.0
#
#   make           ./lbrsnoop
#   make demo      a guest with LBR, a system call that fails in it, the path that led there
#   make check     every test, those in the virtual machine included
#   make lint, make bench, make fuzz, make asan, make install

CC	?= gcc
CLANG	?= clang
BPFTOOL	?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
LLVM_STRIP ?= llvm-strip
PREFIX	?= /usr/local
O	?= build

PKGS	:= libbpf libelf libdw jansson zydis libzstd
# zydis of Debian 12 brings no .pc file
PKG_LIBS := $(filter-out zydis,$(PKGS))

WARN	:= -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wformat=2 -Wno-unused-parameter \
	   -Wno-missing-field-initializers
CFLAGS	?= -O2 -g
override CFLAGS += -std=gnu11 $(WARN) -D_GNU_SOURCE -Isrc -Ibpf -I$(O) $(EXTRA_CFLAGS)
LIBS	:= $(shell pkg-config --libs $(PKG_LIBS) 2>/dev/null) -lZydis -lz -lm
DEPFLAGS = -MMD -MP

BPF_CFLAGS := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 -Ivmlinux -Ibpf -Wall -Werror

BPF_OBJ	:= $(O)/bpf/lbrsnoop.bpf.o
SKEL	:= $(O)/lbrsnoop.skel.h

SRC	:= $(sort $(wildcard src/*.c src/*/*.c))
OBJ	:= $(SRC:%.c=$(O)/%.o)
# What tests link with: everything but main() and the rooms that need the live kernel.
LIB_OBJ	:= $(filter-out $(O)/src/main.o,$(OBJ))

UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
UNIT	 := $(UNIT_SRC:%.c=$(O)/%)

all: lbrsnoop

lbrsnoop: $(OBJ)
	@echo "  LINK    $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(OBJ) $(LIBS)

$(O)/bpf/%.bpf.o: bpf/%.bpf.c Makefile
	@mkdir -p $(@D)
	@echo "  BPF     $<"
	@$(CLANG) $(BPF_CFLAGS) $(DEPFLAGS) -c $< -o $@

$(SKEL): $(BPF_OBJ)
	@echo "  SKEL    $@"
	@$(BPFTOOL) gen skeleton $< name lbrsnoop_bpf > $@.tmp && mv $@.tmp $@

# Only capture/ sees the skeleton; -MMD knows it from the second build on.
$(patsubst %.c,$(O)/%.o,$(wildcard src/capture/*.c)): $(SKEL)

$(O)/src/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	@echo "  CC      $<"
	@$(CC) $(CFLAGS) $(DEPFLAGS) -c $< -o $@

$(O)/tests/unit/%: tests/unit/%.c $(LIB_OBJ) Makefile
	@mkdir -p $(@D)
	@echo "  TEST    $@"
	@$(CC) $(CFLAGS) $(DEPFLAGS) $(LDFLAGS) -o $@ $< $(LIB_OBJ) -lcmocka $(LIBS)

unit: $(UNIT)

clean:
	rm -rf $(O) lbrsnoop

install: lbrsnoop
	install -D -m 755 lbrsnoop $(DESTDIR)$(PREFIX)/sbin/lbrsnoop

-include $(OBJ:.o=.d) $(BPF_OBJ:.o=.d) $(UNIT:%=%.d)

.DELETE_ON_ERROR:
.PHONY: all clean install unit
