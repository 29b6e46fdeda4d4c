# brig: one Makefile, no recursion. `make help` lists the targets.
#
#   BUILD=release (default) | asan | tsan | fuzz | cov | mutant
#
# Every generated file lands under build/ (release) or build/BUILD/ (the others).

BUILD ?= release
O := $(if $(filter release,$(BUILD)),build,build/$(BUILD))

CC_release := gcc
CC_asan := gcc
CC_tsan := gcc
CC_cov := gcc
CC_fuzz := clang
CC_mutant := gcc
CC := $(CC_$(BUILD))
PKG_CONFIG ?= pkg-config
PYTHON_CONFIG ?= python3.13-config
PREFIX ?= /usr/local
DESTDIR ?=

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wundef -Wvla -Wformat=2 -Wconversion \
	-Wno-sign-conversion -Wcast-qual -Wnull-dereference -Wimplicit-fallthrough \
	-Wswitch-enum -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings

COMMON := -std=gnu17 -g -fno-common -fvisibility=hidden -fno-delete-null-pointer-checks \
	-fno-strict-overflow -ffile-prefix-map=$(CURDIR)=. -D_GNU_SOURCE -Isrc -MMD -MP

# FORTIFY and automatic initialisation hide faults from the sanitizers, so only release has them.
HARDENING := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong \
	-fstack-clash-protection -fcf-protection=full -ftrivial-auto-var-init=zero

CFLAGS_release := -O2 $(HARDENING) -fPIE
CFLAGS_asan := -O1 -fPIE -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
CFLAGS_tsan := -O1 -fPIE -fsanitize=thread
CFLAGS_cov := -O0 -fPIE --coverage
# The same as release, but that a cell can be made without a layer (wire/mutant.h): for tests only.
CFLAGS_mutant := $(CFLAGS_release) -DBRIG_MUTANT
CFLAGS_fuzz := -O1 -fPIE -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=undefined

LDFLAGS_release := -pie -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code
LDFLAGS_asan := -pie -fsanitize=address,undefined
LDFLAGS_tsan := -pie -fsanitize=thread
LDFLAGS_cov := -pie --coverage
LDFLAGS_mutant := $(LDFLAGS_release)
LDFLAGS_fuzz := -pie -fsanitize=address,undefined

ALL_CFLAGS = $(COMMON) $(WARNINGS) $(CFLAGS_$(BUILD)) $(CFLAGS)
ALL_LDFLAGS = $(LDFLAGS_$(BUILD)) -Wl,--as-needed $(LDFLAGS)

# Which rooms each program is linked from. brig never links jail, zygote or service, and
# brig-service never links what holds tokens (scripts/check-includes says the same of headers).
BRIG_ROOMS := base calc wire tool launch audit http api cmd
SERVICE_ROOMS := base wire jail service
# The zygote is linked inside a build root of the image's suite, where there is no libseccomp.
ZYGOTE_SRC = $(wildcard src/base/*.c src/wire/*.c src/zygote/*.c) \
	$(filter-out src/jail/seccomp_build.c,$(wildcard src/jail/*.c))

BRIG_LIBS := jansson gmp libsodium inih sqlite3 libevent
SERVICE_LIBS := libevent libseccomp libsodium

sources = $(foreach room,$(1),$(wildcard src/$(room)/*.c))
objects = $(patsubst src/%.c,$(O)/obj/%.o,$(1))

PAGE_OBJ := $(O)/obj/web/assets.o
BRIG_OBJ := $(call objects,$(call sources,$(BRIG_ROOMS))) $(PAGE_OBJ)
SERVICE_OBJ := $(call objects,$(call sources,$(SERVICE_ROOMS)))
ZYGOTE_OBJ := $(call objects,$(ZYGOTE_SRC))
# What unit tests and fuzzers link: every room, less the three files with a main().
LIB_ROOMS := $(sort $(BRIG_ROOMS) $(SERVICE_ROOMS))
LIB_OBJ := $(filter-out %/main.o,$(call objects,$(call sources,$(LIB_ROOMS)))) $(PAGE_OBJ)

UNIT_TESTS := $(patsubst tests/unit/%.c,$(O)/tests/%,$(wildcard tests/unit/test_*.c))
FUZZERS := $(patsubst fuzz/%.c,$(O)/fuzz/%,$(wildcard fuzz/fuzz_*.c))

pkg_cflags = $(shell $(PKG_CONFIG) --cflags $(1))
pkg_libs = $(shell $(PKG_CONFIG) --libs $(1))

.PHONY: all help programs zygote unit tests bench benches fuzzers fuzz chaos fmt lint check check-vm clean install includes
.DELETE_ON_ERROR:

all: programs ## build brig and brig-service (default)

programs: $(O)/brig $(O)/libexec/brig-service

$(O)/brig: $(BRIG_OBJ)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call pkg_libs,$(BRIG_LIBS)) -lm

$(O)/libexec/brig-service: $(SERVICE_OBJ)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call pkg_libs,$(SERVICE_LIBS))

zygote: $(O)/libexec/brig-zygote ## build the zygote (inside a build root of the image's suite)

$(O)/libexec/brig-zygote: $(ZYGOTE_OBJ)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(shell $(PYTHON_CONFIG) --ldflags --embed)

# Python's headers are not clean under -Wconversion and friends: they are system headers here.
$(O)/obj/zygote/%.o: ALL_CFLAGS += $(patsubst -I%,-isystem%,$(shell $(PYTHON_CONFIG) --includes))

$(O)/obj/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

# The page, which is compiled in: web/, and the editor that web/bundle makes from npm's packages, where
# there is npm, and makes again once there is.
WEB_FILES := $(sort $(wildcard web/*.html web/*.css web/*.js web/*.svg)) \
	build/web/editor.js build/web/licenses.txt
NPM_STAMP := build/web/$(if $(shell command -v npm),with,without)-npm

$(NPM_STAMP):
	@mkdir -p $(@D)
	@touch $@

build/web/editor.js build/web/licenses.txt &: $(wildcard web/editor/*.js) web/package-lock.json web/bundle $(NPM_STAMP)
	@web/bundle build/web

build/web/assets.c: $(WEB_FILES) web/embed
	@web/embed $(WEB_FILES) >$@

$(PAGE_OBJ): build/web/assets.c $(WEB_FILES) src/api/page.h Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(O)/libbrig.a: $(LIB_OBJ)
	@rm -f $@
	ar qcsD $@ $^

# The evaluator alone, with its public header src/calc/calc.h: needs libc, libm and GMP.
$(O)/libcalc.a: $(call objects,$(call sources,base calc))
	@rm -f $@
	ar qcsD $@ $^

$(O)/tests/calc/%: tests/calc/%.c $(O)/libcalc.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(O)/libcalc.a -lgmp -lm

$(O)/bench/calc/%: bench/calc/%.c $(O)/libcalc.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(O)/libcalc.a -lgmp -lm

unit: $(UNIT_TESTS) ## build the unit tests
tests: unit

$(O)/tests/%: tests/unit/%.c $(O)/libbrig.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(O)/libbrig.a \
		$(call pkg_libs,cmocka $(BRIG_LIBS) $(SERVICE_LIBS)) -lm

BENCHES := $(patsubst bench/%.c,$(O)/bench/%,$(wildcard bench/*.c))

benches: $(BENCHES) ## build the programs that bench/ measures with

$(O)/bench/%: bench/%.c $(O)/libbrig.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(O)/libbrig.a \
		$(call pkg_libs,$(BRIG_LIBS)) -lm

bench: programs benches $(O)/bench/calc/calc ## measure brig beside its peers; writes docs/benchmarks.md
	bench/run
	bench/report

# The corpus of tests/security needs a service that outlives one job, and the policy as data.
SECURITY_TOOLS := $(O)/tests/holder $(O)/tests/policy

$(SECURITY_TOOLS): $(O)/tests/%: tests/security/%.c $(call objects,$(call sources,base wire jail launch))
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MF $@.d $(ALL_LDFLAGS) -o $@ $^ \
		$(call pkg_libs,libsodium inih libseccomp)

security-tools: programs $(SECURITY_TOOLS)

security: ## the proof: every forbidden behaviour with its control (root)
	tests/security/run

mutation: ## leave out each layer in turn and see which cases notice (root)
	tests/security/prepare
	tests/security/mutation --markdown SECURITY.md

fuzzers: $(FUZZERS) ## build the libFuzzer targets (BUILD=fuzz)

$(O)/fuzz/%: fuzz/%.c $(O)/libbrig.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(O)/libbrig.a \
		$(call pkg_libs,$(BRIG_LIBS) $(SERVICE_LIBS)) -lm

C_FILES = $(wildcard src/*/*.c src/*/*.h tests/unit/*.c tests/*/*.c tests/*/*.h fuzz/*.c bench/*.c bench/*/*.c)

fmt: ## format the C code in place
	clang-format -i $(sort $(C_FILES))

lint: includes ## formatting, static analysis, shell checks
	scripts/lint

includes: ## check that no room includes a room below it
	scripts/check-includes

check: ## set up, build, run every test
	./check

# The bake compiles the zygote inside the image's suite, so what it is built from comes along.
SHARE = $(DESTDIR)$(PREFIX)/share/brig
DOCS = $(wildcard docs/*.md README.md SECURITY.md)
install: programs ## install below PREFIX (/usr/local), for DESTDIR
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec $(SHARE)/image \
		$(DESTDIR)$(PREFIX)/share/doc/brig $(DESTDIR)$(PREFIX)/lib/systemd/system
	install -m 755 $(O)/brig $(DESTDIR)$(PREFIX)/bin/brig
	install -m 755 $(O)/libexec/brig-service $(DESTDIR)$(PREFIX)/libexec/brig-service
	cp -r --no-preserve=ownership image Makefile $(SHARE)/
	for room in base wire jail zygote; do \
		mkdir -p $(SHARE)/src/$$room && \
		cp -r --no-preserve=ownership src/$$room/. $(SHARE)/src/$$room/ || exit 1; done
	sed 's|@PREFIX@|$(PREFIX)|' etc/systemd/brig.service \
		>$(DESTDIR)$(PREFIX)/lib/systemd/system/brig.service
	chmod 644 $(DESTDIR)$(PREFIX)/lib/systemd/system/brig.service
	install -m 644 etc/brig.ini $(DESTDIR)$(PREFIX)/share/doc/brig/brig.ini.example
	install -m 644 $(DOCS) $(DESTDIR)$(PREFIX)/share/doc/brig/

check-vm: ## corpus and integration tests on Debian 12's and 13's kernels, as root and as a user
	tests/security/prepare
	tests/vm/check --all

chaos: all ## kill, stop and starve brig under load; CHAOS="--seconds 3600 --seed 1"
	tests/chaos/run $(CHAOS)

fuzz: ## every fuzzer for ten seconds; FUZZ="--seconds 3600"
	fuzz/run $(FUZZ)

clean: ## remove what make built (images stay)
	rm -rf build

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

-include $(shell find $(addprefix $(O)/,obj tests fuzz bench) -name '*.d' -type f 2>/dev/null)
