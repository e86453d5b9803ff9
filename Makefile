# SPDX-License-Identifier: GPL-2.0
#
#   make           ./lbrsnoop
#   make demo      set up all that is needed, then: a guest with LBR, a system call that fails
#                  in it, the branches that led there
#   make check     set up all that is needed, then every test; SUITES="unit cli" runs some
#   make format    clang-format over the tree
#   make lint      formatting, static checks, layers; both compilers
#   make asan      lbrsnoop and its tests with address and undefined-behaviour sanitizers
#   make fuzz      FUZZ_RUNS inputs into each fuzz target, or those in FUZZ_TARGETS (decode, ...)
#   make fuzz-minimize   what fuzzing found goes into tests/fuzz/corpus, where make check replays it
#   make bench     what a call costs, in guest instructions and LBR entries
#   make install   PREFIX, DESTDIR
#   make static    build/static/lbrsnoop, which needs no library of the host; without postmortem
#   make deb       build/deb/lbrsnoop_VERSION_ARCH.deb, and lbrsnoop-dbgsym
#   make deps      the Debian packages to build with
#   make clean     what make made here; downloads and QEMU stay in the cache (tests/vm/setup --help)

# What was compiled before, in another checkout too, comes from ccache where that is installed.
# The language of messages changes no object, and .ci/run has another one than a shell. Nor does the
# folder of the checkout: objects name files from there.
CCACHE	?= $(if $(shell command -v ccache),ccache )
export CCACHE_SLOPPINESS ?= locale
ifeq ($(origin CC),default)
CC	:= $(CCACHE)gcc
endif
CLANG	?= clang
BPFTOOL	?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
PKG_CONFIG ?= pkg-config
PREFIX	?= /usr/local
ZSH_COMPLETIONS ?= $(PREFIX)/share/zsh/site-functions
# Its one place is debian/changelog.
VERSION	:= $(shell sed -n '1s/^lbrsnoop (\(.*\)).*/\1/p' debian/changelog)
# Where objects go, and where the BPF objects and the skeleton are: variants share these.
O	?= build
BPF_O	:= build

# zydis of Debian 12 brings no .pc file
PKGS	:= libbpf libelf libdw jansson libzstd libkdumpfile

# A folder whose name a shell, or clang at '=', would take apart stays in the objects.
APART := = ' " ` ( ) < > | & ; * ? \ $$
ifeq ($(words $(CURDIR))$(strip $(foreach char,$(APART),$(findstring $(char),$(CURDIR)))),1)
FROM_HERE := -ffile-prefix-map=$(CURDIR)=.
endif
# Flags, without the folder
anywhere = $(strip $(if $(FROM_HERE),$(subst $(FROM_HERE) ,,$(1)),$(1)))
WARN	:= -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wformat=2 -Wno-unused-parameter \
	   -Wno-missing-field-initializers
CFLAGS	?= -O2 -g
override CFLAGS += -std=gnu11 $(FROM_HERE) $(WARN) -D_GNU_SOURCE -Isrc -Ibpf -I$(BPF_O) $(EXTRA_CFLAGS)
# STATIC: Debian has no static libkdumpfile, and no static Zydis, which packaging/build-zydis makes.
ifdef STATIC
override CFLAGS += -DLBRSNOOP_STATIC
override LDFLAGS += -static -Wl,--wrap=dlopen
LIBS	:= -lbpf -ldw -lelf -ljansson -lzstd $(O)/libZydis.a -lz -lbz2 -llzma -lm -pthread
else
LIBS	:= $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null || echo -lbpf -lelf -ldw -ljansson -lzstd -lkdumpfile) \
	   -lZydis -lz -lm -pthread
endif
DEPFLAGS = -MMD -MP

BPF_CFLAGS := -g -O2 $(FROM_HERE) -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 -Ivmlinux -Ibpf -Isrc -Wall -Werror

BPF_OBJ	:= $(BPF_O)/bpf/lbrsnoop.bpf.o
SKEL	:= $(BPF_O)/lbrsnoop.skel.h
WHY_OBJ	:= $(BPF_O)/bpf/why.bpf.o
WHY_SKEL := $(BPF_O)/why.skel.h
# Style and script of the page that report --html writes.
HTML_PAGE := $(BPF_O)/html_parts.h
HTML_PARTS := src/render/html/page.css src/render/html/page.js

SRC	:= $(filter-out src/vmcore/$(if $(STATIC),vmcore,vmcore_none).c,$(sort $(wildcard src/*.c src/*/*.c src/*/*/*.c)))
OBJ	:= $(SRC:%.c=$(O)/%.o)
BIN	:= $(if $(filter build,$(O)),,$(O)/)lbrsnoop
# What tests link with: everything but main(). The linker takes what a test needs of it, which is a
# quarter of the work of linking all.
LIB_OBJ	:= $(filter-out $(O)/src/main.o,$(OBJ))
LIB	:= $(O)/liblbrsnoop.a

UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
UNIT_COMMON := tests/unit/deep_machine.c
UNIT	 := $(UNIT_SRC:%.c=$(O)/%)

# Programs that hold a result against the emulator's log, or objdump; what they have in common.
ORACLE_COMMON := $(addprefix tests/oracle/,conditionals.c msr_write.c objdump.c stops.c truth.c)
ORACLE_SRC := $(filter-out $(ORACLE_COMMON),$(sort $(wildcard tests/oracle/*.c)))
ORACLE	:= $(ORACLE_SRC:%.c=$(O)/%)

# tests/fuzz/fuzz_X.c becomes replay_X, which runs over files, and with libFuzzer fuzz_X.
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_REPLAY := $(FUZZ_SRC:tests/fuzz/fuzz_%.c=$(O)/tests/fuzz/replay_%)
FUZZ	:= $(FUZZ_SRC:%.c=$(O)/%)
FUZZ_RUNS ?= 100000
# Comparisons are not traced: three times as many inputs in the same time.
FUZZ_COVERAGE ?= -fno-sanitize-coverage=trace-cmp

# What the tests in the guest run there, and what reads the emulator's log.
# tests/vm/machine/initrd.sh builds the others.
VM_SRC	 := $(wildcard tests/vm/workloads/*.c tests/vm/truth/*.c)
VM_TOOLS := $(patsubst %.c,$(O)/tests/vm/%,$(notdir $(VM_SRC))) \
	    $(O)/tests/vm/userclass $(O)/tests/vm/userwork.stripped

# What puts records into a running lbrsnoop's ring buffer, for benchmarks and tests.
INJECT := $(O)/tests/bench/inject

# All of C that is checked, whatever it is linked into.
C_OBJ	:= $(OBJ) $(patsubst %.c,$(O)/%.o,$(UNIT_SRC) $(UNIT_COMMON) $(ORACLE_SRC) $(ORACLE_COMMON) $(FUZZ_SRC) tests/fuzz/replay_main.c \
	   $(VM_SRC) tests/bench/inject.c)

comma := ,

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

all: $(BIN)

# A rule that has run with other flags, or over other files, has to run again; not one in a tree that was moved.
$(O)/.flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(call anywhere,$(CFLAGS)) $(LDFLAGS) $(LIBS) $(OBJ)' | cmp -s - $@ || \
		echo '$(CC) $(call anywhere,$(CFLAGS)) $(LDFLAGS) $(LIBS) $(OBJ)' > $@
$(BPF_O)/.bpf-flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CLANG) $(BPFTOOL) $(call anywhere,$(BPF_CFLAGS)) $(BPF_OBJ)' | cmp -s - $@ || \
		echo '$(CLANG) $(BPFTOOL) $(call anywhere,$(BPF_CFLAGS)) $(BPF_OBJ)' > $@

# Asked once, to name the remedy where a compiler would only name a header.
$(O)/.tools:
	@mkdir -p $(@D)
	@for tool in $(filter-out -%,$(CC)) $(CLANG) $(BPFTOOL) $(PKG_CONFIG); do \
		command -v $$tool >/dev/null || { \
			echo "$$tool is missing; 'make deps' installs what the build needs" >&2; exit 1; }; \
	done
	@$(PKG_CONFIG) --print-errors --exists $(PKGS) && \
		echo '#include <Zydis/Zydis.h>' | $(CC) -E -o /dev/null - || { \
		echo "a library is missing; 'make deps' installs what the build needs" >&2; exit 1; }
	@touch $@

$(BIN): $(OBJ) $(O)/.flags
	@echo "  LINK    $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(OBJ) $(LIBS)

ifdef STATIC
$(BIN): $(O)/libZydis.a
$(O)/libZydis.a: packaging/build-zydis
	@echo "  ZYDIS   $@"
	@CC="$(CC)" packaging/build-zydis $@
endif

$(BPF_O)/bpf/%.bpf.o: bpf/%.bpf.c Makefile $(BPF_O)/.bpf-flags | $(O)/.tools
	@mkdir -p $(@D)
	@echo "  BPF     $<"
	@$(CCACHE)$(CLANG) $(BPF_CFLAGS) $(DEPFLAGS) -c $< -o $@

$(BPF_O)/tests/bench/%.bpf.o: tests/bench/%.bpf.c Makefile $(BPF_O)/.bpf-flags | $(O)/.tools
	@mkdir -p $(@D)
	@echo "  BPF     $<"
	@$(CCACHE)$(CLANG) $(BPF_CFLAGS) $(DEPFLAGS) -c $< -o $@

$(BPF_O)/tests/bench/%.skel.h: $(BPF_O)/tests/bench/%.bpf.o
	@echo "  SKEL    $@"
	@$(BPFTOOL) gen skeleton $< name $(*F)_bpf > $@.tmp && mv $@.tmp $@

$(SKEL): $(BPF_OBJ)
	@echo "  SKEL    $@"
	@$(BPFTOOL) gen skeleton $< name lbrsnoop_bpf > $@.tmp && mv $@.tmp $@

$(WHY_SKEL): $(WHY_OBJ)
	@echo "  SKEL    $@"
	@$(BPFTOOL) gen skeleton $< name why_bpf > $@.tmp && mv $@.tmp $@

$(HTML_PAGE): src/render/html/embed $(HTML_PARTS)
	@mkdir -p $(@D)
	@echo "  EMBED   $@"
	@src/render/html/embed $(HTML_PARTS) > $@.tmp && mv $@.tmp $@

# Only capture/ and why/ see a skeleton; -MMD knows it from the second build on.
$(patsubst %.c,$(O)/%.o,$(wildcard src/capture/*.c src/capture/*/*.c)): $(SKEL)
$(patsubst %.c,$(O)/%.o,$(wildcard src/why/*.c src/why/*/*.c)): $(WHY_SKEL)
$(O)/src/render/html/html_page.o: $(HTML_PAGE)

$(O)/src/%.o: src/%.c Makefile $(O)/.flags | $(O)/.tools
	@mkdir -p $(@D)
	@echo "  CC      $<"
	@$(CC) $(CFLAGS) $(DEPFLAGS) -c $< -o $@

$(O)/src/main.o: debian/changelog
# private: .flags is not to have it
$(O)/src/main.o: private override CFLAGS += -DLBRSNOOP_VERSION='"$(VERSION)"'

$(LIB): $(LIB_OBJ) $(O)/.flags
	@echo "  AR      $@"
	@rm -f $@ && ar rcs $@ $(LIB_OBJ)

$(O)/tests/%.o: tests/%.c Makefile $(O)/.flags
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(DEPFLAGS) -c $< -o $@
.PRECIOUS: $(O)/tests/%.o

$(O)/tests/unit/%: $(O)/tests/unit/%.o $(LIB)
	@echo "  TEST    $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) -lcmocka $(LIBS)

# Lines are a table of the test's own there.
$(O)/tests/unit/test_story_view $(O)/tests/unit/test_why_json: LDFLAGS += -Wl,--wrap=lines_find
$(O)/tests/unit/test_story_view: LDFLAGS += -Wl,--wrap=lines_image
$(O)/tests/unit/test_why_json: LDFLAGS += -Wl,--wrap=variable_places
$(O)/tests/unit/test_story_view $(O)/tests/unit/test_why_json: LDFLAGS += -Wl,--wrap=variable_in_register
# The kernel of a session of "why" is made up there.
$(O)/tests/unit/test_session $(O)/tests/unit/test_standby: \
	LDFLAGS += $(foreach f,watch_create watch_destroy watch_add watch_functions watch_functions_end \
		watch_sites watch_sites_end watch_lost watch_calls_unwatched \
		watch_processes_unwatched watch_calls_compat watch_netlink watch_poll lbr_events_open \
		lbr_events_enable lbr_events_close text_source text_live_invalidate \
		probeable_open_forbidden probes_modules,-Wl$(comma)--wrap=$(f))
# The buffers that it reads are made up there.
$(O)/tests/unit/test_function_log: LDFLAGS += $(foreach f,fopen cpus_online syscall mmap munmap,-Wl$(comma)--wrap=$(f))
# So are the runs that go further back.
DEEP_MACHINE_TESTS := $(addprefix $(O)/tests/unit/,test_deep test_deep_kprobes test_deep_to_place)
$(DEEP_MACHINE_TESTS): $(O)/tests/unit/deep_machine.o
$(DEEP_MACHINE_TESTS) $(O)/tests/unit/test_deep_random: LDFLAGS += $(foreach f,watch_point watch_point_without_branches watch_passes watch_point_hits watch_passed_hits watch_sites_end watch_lost \
		watch_calls_quietly watch_ends watch_points_outside command_run lbr_depth probeable_open_forbidden \
		probeable_forbidden clock_gettime,-Wl$(comma)--wrap=$(f))
# What a decision found is counted there.
$(O)/tests/unit/test_names: LDFLAGS += -Wl,--wrap=operand_condition
# The kernel's BPF programs are a table of the test's own there.
$(O)/tests/unit/test_bpf_program: LDFLAGS += $(foreach f,bpf_prog_get_next_id bpf_prog_get_fd_by_id \
		bpf_obj_get_info_by_fd btf__load_from_kernel_by_id resolver_keep_fd,-Wl$(comma)--wrap=$(f))
# A directory that is replaced while it is locked; any is a BPF file system.
$(O)/tests/unit/test_flight_files: LDFLAGS += -Wl,--wrap=flock,--wrap=statfs
# A CPU that is made up.
$(O)/tests/unit/test_lbr_cause: LDFLAGS += -Wl,--wrap=fopen,--wrap=access
# Programs that miss events, and the time.
$(O)/tests/unit/test_capture_stats.o: $(SKEL)
$(O)/tests/unit/test_capture_stats: LDFLAGS += $(foreach f,clock_gettime bpf_obj_get_info_by_fd \
		ring_reader_wait ring_reader_consume,-Wl$(comma)--wrap=$(f))
# Memory that runs out.
$(O)/tests/unit/test_maps: LDFLAGS += -Wl,--wrap=reallocarray
$(O)/tests/unit/test_summary: LDFLAGS += -Wl,--wrap=strdup
$(O)/tests/unit/test_choose $(O)/tests/unit/test_vector: LDFLAGS += -Wl,--wrap=realloc
$(O)/tests/unit/test_hash_table $(O)/tests/unit/test_path_counts: LDFLAGS += \
	-Wl,--wrap=calloc,--wrap=realloc

# Compiled apart from what links them: what is compiled comes from ccache.
ORACLE_COMMON_OBJ := $(ORACLE_COMMON:%.c=$(O)/%.o)
$(ORACLE): $(O)/%: $(O)/%.o $(ORACLE_COMMON_OBJ) $(LIB)
	@echo "  TEST    $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(ORACLE_COMMON_OBJ) $(LIB) $(LIBS)

$(O)/tests/fuzz/replay_%: $(O)/tests/fuzz/fuzz_%.o $(O)/tests/fuzz/replay_main.o $(LIB)
	@echo "  TEST    $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# zstd's context is made once there.
$(foreach t,capfile journal_capture,$(O)/tests/fuzz/fuzz_$(t) $(O)/tests/fuzz/replay_$(t)): \
	LDFLAGS += -Wl,--wrap=ZSTD_createDCtx,--wrap=ZSTD_freeDCtx

# libFuzzer looks through the counters of all that is linked, at each input: what is not needed stays out.
$(O)/tests/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(LIB) Makefile $(O)/.flags
	@mkdir -p $(@D)
	@echo "  FUZZ    $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -fsanitize=fuzzer -o $@ $< $(LIB) $(LIBS)

$(VM_TOOLS): VM_FLAGS := -static -pthread
$(addprefix $(O)/tests/vm/,eventwork truth_ends truth_tail): VM_FLAGS :=
$(addprefix $(O)/tests/vm/,load_programs no_slot verified_insns): VM_FLAGS := -lbpf -lelf -lz
# Their first build: .d files tell later ones.
$(addprefix $(O)/tests/vm/workloads/,lbr_off.o missed.o no_slot.o): $(SKEL) $(WHY_SKEL)
$(addprefix $(O)/tests/vm/,quick_symbols lbr_off missed): VM_FLAGS = $(LIB) $(LIBS)
$(addprefix $(O)/tests/vm/,quick_symbols lbr_off missed): $(LIB)
# Programs that are traced: with frame pointers, which a stack needs; without symbols, which are beside it.
$(O)/tests/vm/userwork: VM_FLAGS :=
$(O)/tests/vm/workloads/userwork.o: private override CFLAGS += -fcf-protection -fno-omit-frame-pointer
$(O)/tests/vm/userwork.stripped: $(O)/tests/vm/userwork
	@echo "  TEST    $@"
	@cp $< $@ && objcopy --only-keep-debug $@ $@.debug && strip $@ && \
		cd $(@D) && objcopy --add-gnu-debuglink=$(@F).debug $(@F)
$(O)/tests/vm/userclass: tests/vm/workloads/userclass.cc Makefile $(O)/.flags
	@mkdir -p $(@D)
	@echo "  TEST    $@"
	@$(CXX) -O2 -g -Wall -Wextra -Werror -o $@ $<

# Scripts and guests find all of them in one directory.
define vm_tool_rule
$(O)/tests/vm/%: $(O)/tests/vm/$(1)/%.o
	@echo "  TEST    $$@"
	@$$(CC) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$< $$(VM_FLAGS)
endef
$(foreach directory,workloads truth,$(eval $(call vm_tool_rule,$(directory))))

$(INJECT): tests/bench/inject.c tests/whole_file.h $(BPF_O)/tests/bench/inject.skel.h Makefile $(O)/.flags
	@mkdir -p $(@D)
	@echo "  TEST    $@"
	@$(CC) $(CFLAGS) -I$(BPF_O)/tests/bench $(LDFLAGS) -o $@ $< -lbpf -lelf -lz

unit: $(UNIT)
vm-tools: $(VM_TOOLS) $(INJECT)
oracle: $(ORACLE)
replay: $(FUZZ_REPLAY)
fuzz-programs: $(FUZZ)

asan: $(SKEL) $(WHY_SKEL) $(HTML_PAGE)
	@$(MAKE) --no-print-directory O=build/asan EXTRA_CFLAGS="$(SANITIZE)" all unit oracle replay

fuzz: $(SKEL) $(WHY_SKEL) $(HTML_PAGE)
	@$(MAKE) --no-print-directory O=build/fuzz CC=$(CLANG) \
		EXTRA_CFLAGS="$(SANITIZE) -fsanitize=fuzzer-no-link $(FUZZ_COVERAGE)" fuzz-programs
	@tests/fuzz/run build/fuzz $(FUZZ_RUNS) $(FUZZ_TARGETS)

fuzz-minimize:
	@tests/fuzz/run --minimize build/fuzz $(FUZZ_TARGETS)

# The parts of "make check" that are built; the tests only run them.
check-programs: all unit oracle replay vm-tools
	@$(MAKE) --no-print-directory asan

# What it looks through needs one processor alone: beside the compilers.
vm-setup:
	@tests/vm/setup

# All processors, unless this make has been told how many.
JOBS = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

check:
	@mkdir -p $(O) && date +%s >$(O)/.check-began
	@tests/deps build check lint vm
	@+$(MAKE) --no-print-directory $(JOBS) check-programs vm-setup
	@LBRSNOOP_BEGAN=$$(cat $(O)/.check-began) tests/run-all $(SUITES)

demo:
	@tests/deps build vm
	@+$(MAKE) --no-print-directory $(JOBS) all
	@tests/demo

bench: all vm-tools
	@tests/bench/run

lint:
	@tests/deps build lint
	@tests/lint/run

# clang-format over all that it checks
format:
	@git ls-files 'src/*.[ch]' 'bpf/*.[ch]' 'tests/*.[ch]' | xargs clang-format-14 -i

# What tests/lint/run asks for: everything compiled by clang, too; for its warnings alone, which do not
# depend on the optimisation. What is linked into programs is no question to it.
lint-programs: all unit oracle replay vm-tools
	@$(MAKE) --no-print-directory O=build/clang CC="$(CCACHE)$(CLANG)" CFLAGS="-O0 -g" c-objects
c-objects: $(C_OBJ)
$(O)/tests/bench/inject.o: private override CFLAGS += -I$(BPF_O)/tests/bench

deps:
	@tests/deps build

clean:
	rm -rf build lbrsnoop

install: lbrsnoop
	install -D -m 755 lbrsnoop $(DESTDIR)$(PREFIX)/sbin/lbrsnoop
	install -D -m 644 man/lbrsnoop.8 $(DESTDIR)$(PREFIX)/share/man/man8/lbrsnoop.8
	install -D -m 644 completions/lbrsnoop.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/lbrsnoop
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's,/usr/local/sbin/,$(PREFIX)/sbin/,' packaging/lbrsnoop-watch.service \
		>$(DESTDIR)$(PREFIX)/lib/systemd/system/lbrsnoop-watch.service
	install -D -m 644 packaging/lbrsnoop.slice $(DESTDIR)$(PREFIX)/lib/systemd/system/lbrsnoop.slice
	install -D -m 644 packaging/lbrsnoop.catalog $(DESTDIR)$(PREFIX)/lib/systemd/catalog/lbrsnoop.catalog
	install -D -m 644 completions/_lbrsnoop $(DESTDIR)$(ZSH_COMPLETIONS)/_lbrsnoop

# What it lacks it says where it is asked for: library.c, vmcore_none.c.
static: $(SKEL) $(WHY_SKEL) $(HTML_PAGE)
	@$(MAKE) --no-print-directory O=build/static STATIC=1 all

# Of what git knows, as it is now: what lies about does not matter, and debhelper gets a tree of its own.
DEB_TREE := build/deb/lbrsnoop-$(VERSION)
deb:
	@for tool in dh dpkg-buildpackage; do command -v $$tool >/dev/null || { \
		echo "$$tool is missing; 'tests/deps build deb' installs what packages need" >&2; exit 1; }; done
	@rm -rf build/deb && mkdir -p $(DEB_TREE)
	@if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then git ls-files -z; else \
		find . -path ./build -prune -o -path ./lbrsnoop -prune -o -type f -print0; fi | \
		tar -c --null --files-from=- | tar -x -C $(DEB_TREE)
	@cd $(DEB_TREE) && dpkg-buildpackage --build=binary --unsigned-changes
	@rm -rf $(DEB_TREE)
	@ls build/deb/*.deb

-include $(C_OBJ:.o=.d) $(BPF_OBJ:.o=.d) $(WHY_OBJ:.o=.d) $(BPF_O)/tests/bench/inject.bpf.d

.DELETE_ON_ERROR:
.SECONDARY: $(BPF_O)/tests/bench/inject.bpf.o
.SUFFIXES:
FORCE:
.PHONY: all asan bench c-objects check check-programs clean deb demo deps format fuzz fuzz-minimize fuzz-programs install lint \
	lint-programs oracle replay static unit vm-setup vm-tools FORCE
