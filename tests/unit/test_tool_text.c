/* text, output, mime, digest, ids, names of system calls: words for readers. */
#include "check.h"

#include "base/utf8.h"
#include "tool/digest.h"
#include "tool/job_id.h"
#include "tool/mime.h"
#include "tool/output.h"
#include "tool/syscall_name.h"
#include "tool/text.h"

#include <linux/audit.h>

static void figures(void **state)
{
	(void)state;
	char out[TEXT_FIGURE_BYTES];
	assert_string_equal(text_bytes(0, out), "0 bytes");
	assert_string_equal(text_bytes(1, out), "1 byte");
	assert_string_equal(text_bytes(1023, out), "1023 bytes");
	assert_string_equal(text_bytes(1024, out), "1 KiB");
	assert_string_equal(text_bytes(1536, out), "1.5 KiB");
	assert_string_equal(text_bytes(512ull << 20, out), "512 MiB");
	assert_string_equal(text_bytes((512ull << 20) - 1, out), "511.9 MiB");
	assert_string_equal(text_bytes(8ull << 30, out), "8 GiB");
	assert_non_null(text_bytes(UINT64_MAX, out));
	assert_string_equal(text_count(0, out), "0");
	assert_string_equal(text_count(999, out), "999");
	assert_string_equal(text_count(1000, out), "1,000");
	assert_string_equal(text_count(1234567, out), "1,234,567");
	assert_string_equal(text_count(UINT64_MAX, out), "18,446,744,073,709,551,615");
	assert_string_equal(text_ms(0, out), "0 ms");
	assert_string_equal(text_ms(999, out), "999 ms");
	assert_string_equal(text_ms(1000, out), "1 s");
	assert_string_equal(text_ms(1500, out), "1.5 s");
	assert_string_equal(text_ms(1050, out), "1 s");
	assert_string_equal(text_ms(300000, out), "300 s");
}

static void lines(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t bytes, max;
		const char *line;
	} cases[] = {
		{"plain", 5, 80, "plain"},
		{"a\nb\tc\rd", 7, 80, "a\\nb\\tc\\rd"},
		{"\x1b[31mred", 8, 80, "\\x1b[31mred"},
		{"nul\0x", 5, 80, "nul\\x00x"},
		{"bad\xff", 4, 80, "bad\\xff"},
		{"c1\xc2\x9b", 4, 80, "c1\\x9b"},
		{"caf\xc3\xa9", 5, 80, "caf\xc3\xa9"},
		{"abcdef", 6, 6, "abcdef"},
		{"abcdefg", 7, 6, "abc\xe2\x80\xa6"},
		{"abc\xc3\xa9zz", 7, 6, "abc\xe2\x80\xa6"},
		{"ab\n\n", 4, 5, "ab\xe2\x80\xa6"},
		{"", 0, 6, ""},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf out;
		buf_init(&out, 100);
		assert_int_equal(
			text_add_line(&out, span_of(cases[i].text, cases[i].bytes), cases[i].max),
			0);
		assert_bytes(out.data, out.len, cases[i].line);
		buf_done(&out);
	}
}

/* Every character that turns a line around, and its neighbours, which do not. */
static void turning_marks(void **state)
{
	(void)state;
	static const unsigned turning[] = {0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b,
		0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069};
	for (unsigned code = 0xa0, next = 0; code < 0x2100; code++) {
		unsigned char text[] = {'a', (unsigned char)(0xe0 | code >> 12),
			(unsigned char)(0x80 | (code >> 6 & 0x3f)),
			(unsigned char)(0x80 | (code & 0x3f)), 'z'};
		struct span given = span_of(text, 5);
		char wanted[16];
		if (code < 0x800) {
			text[1] = 'a';
			text[2] = (unsigned char)(0xc0 | code >> 6);
			given = span_of(text + 1, 4);
		}
		bool turns = next < COUNT(turning) && code == turning[next];
		next += turns;
		(void)snprintf(wanted, sizeof(wanted), "a\\u%04xz", code);
		struct span shown = turns ? span_text(wanted) : given;
		for (size_t piece = 1; piece <= given.len; piece++) {
			struct buf out;
			unsigned char pending = 0;
			buf_init(&out, 100);
			for (size_t at = 0; at < given.len; at += piece) {
				size_t left = given.len - at;
				struct span part =
					span_of(given.data + at, left < piece ? left : piece);
				assert_int_equal(text_add_terminal(&out, part, &pending), 0);
			}
			assert_int_equal(out.len, shown.len);
			assert_memory_equal(out.data, shown.data, shown.len);
			out.len = 0;
			assert_int_equal(text_add_terminal_line(&out, given, 80), 0);
			assert_int_equal(out.len, shown.len);
			assert_memory_equal(out.data, shown.data, shown.len);
			out.len = 0;
			assert_int_equal(text_add_line(&out, given, 80), 0);
			assert_int_equal(out.len, given.len);
			buf_done(&out);
		}
	}
}

static void cuts(void **state)
{
	(void)state;
	struct buf out;
	char text[1000];
	memset(text, 'h', 500);
	memset(text + 500, 't', 500);
	buf_init(&out, 2000);
	assert_int_equal(text_add_cut(&out, span_of(text, 1000), 1000, "x"), 0);
	assert_int_equal(out.len, 1000);
	out.len = 0;
	assert_int_equal(text_add_cut(&out, span_of(text, 1000), 560, "stdout"), 0);
	assert_true(out.len <= 560);
	/* 400 bytes of room, 3:1. */
	assert_int_equal(out.data[299], 'h');
	assert_int_equal(out.data[300], '\n');
	assert_non_null(memmem(
		out.data, out.len, "\n… [600 bytes left out; all of it is in stdout] …\nt", 52));
	assert_int_equal(out.data[out.len - 100], 't');
	out.len = 0;
	assert_int_equal(text_add_cut(&out, span_of(text, 1000), 0, NULL), 0);
	assert_bytes(out.data, out.len, "\n… [1,000 bytes left out] …\n");
	buf_done(&out);
}

static void cuts_never_split_a_character(void **state)
{
	(void)state;
	unsigned char text[900];
	for (size_t i = 0; i < sizeof(text); i += 3)
		memcpy(text + i, "\xe2\x82\xac", 3);
	for (size_t max = 0; max < sizeof(text); max++) {
		struct buf out;
		buf_init(&out, 2000);
		assert_int_equal(text_add_cut(&out, span_of(text, sizeof(text)), max, "x"), 0);
		assert_true(utf8_valid(out.data, out.len, NULL));
		buf_done(&out);
	}
}

/* What reaches a terminal is the same however the stream was cut into pieces. */
static void terminals(void **state)
{
	(void)state;
	static const char input[] = "ok\n\ttab\r\x1b]0;title\x07 \xc3\xa9 \xc2\xa0 \xc2\x9b\x7f"
				    "\xc2\xc2\x80 \xe2\x82\xac \x08 \xe2\x80\xae \xe2\xe2\x80"
				    "\xe2\x81\xc2\x85\xe2\x80\x1b \xd8\xd8\x9c";
	static const char wanted[] = "ok\n\ttab\r\\x1b]0;title\\x07 \xc3\xa9 \xc2\xa0 \\x9b\\x7f"
				     "\xc2\\x80 \xe2\x82\xac \\x08 \\u202e \xe2\xe2\x80"
				     "\xe2\x81\\x85\xe2\x80\\x1b \xd8\\u061c";
	for (size_t piece = 1; piece < sizeof(input); piece++) {
		struct buf out;
		unsigned char pending = 0;
		buf_init(&out, 1000);
		for (size_t at = 0; at < sizeof(input) - 1; at += piece) {
			size_t left = sizeof(input) - 1 - at;
			assert_int_equal(
				text_add_terminal(&out,
					span_of(input + at, left < piece ? left : piece), &pending),
				0);
		}
		assert_bytes(out.data, out.len, wanted);
		buf_done(&out);
	}
}

static void output_whole(void **state)
{
	(void)state;
	struct buf out;
	bool truncated = true;
	/* A character across the seam of head and tail heals. */
	const struct job_output joined = {
		.head = span_of("a\xe2\x82", 3), .tail = span_of("\xac\xff\0z", 4), .bytes = 7};
	buf_init(&out, OUTPUT_TEXT_BYTES_MAX);
	assert_int_equal(output_text(&joined, &out, &truncated), 0);
	assert_false(truncated);
	assert_int_equal(out.len, 10);
	assert_memory_equal(out.data, "a\xe2\x82\xac\\xff\0z", 10);
	out.len = 0;
	const struct job_output nothing = {.bytes = 0};
	assert_int_equal(output_text(&nothing, &out, &truncated), 0);
	assert_int_equal(out.len, 0);
	buf_done(&out);
}

static void output_cut(void **state)
{
	(void)state;
	struct buf out;
	bool truncated = false;
	/* Half characters at the cut are left out, and counted. */
	const struct job_output cut = {.head = span_of("head\xe2\x82", 6),
		.tail = span_of("\xactail", 5),
		.bytes = 123456};
	buf_init(&out, OUTPUT_TEXT_BYTES_MAX);
	assert_int_equal(output_text(&cut, &out, &truncated), 0);
	assert_true(truncated);
	assert_bytes(out.data, out.len, "head\n… [123,448 bytes left out] …\ntail");
	buf_done(&out);
}

static void output_of_nothing_but_broken_bytes_fits(void **state)
{
	(void)state;
	static unsigned char bytes[LIMIT_TEXT_BYTES];
	struct buf out;
	bool truncated;
	memset(bytes, 0xff, sizeof(bytes));
	struct job_output output = {.head = span_of(bytes, LIMIT_TEXT_HEAD_BYTES),
		.tail = span_of(bytes, LIMIT_TEXT_TAIL_BYTES),
		.bytes = LIMIT_TEXT_BYTES};
	for (uint64_t more = 0; more < 2; more++) {
		output.bytes += more * 1000000;
		buf_init(&out, OUTPUT_TEXT_BYTES_MAX);
		assert_int_equal(output_text(&output, &out, &truncated), 0);
		assert_int_equal(truncated, more == 1);
		assert_true(out.len >= 4 * LIMIT_TEXT_BYTES);
		buf_done(&out);
	}
}

static void mimes(void **state)
{
	(void)state;
	static const struct {
		const char *name, *head;
		size_t bytes;
		const char *mime;
	} cases[] = {
		{"a.csv", "a,b\n1,2\n", 8, "text/csv"},
		{"A.CSV", "a", 1, "text/csv"},
		{"latin.csv", "caf\xe9,1\n", 7, "text/csv"},
		{"a.json", "{}", 2, "application/json"},
		{"a.txt", "x", 1, "text/plain"},
		{"README", "x", 1, "text/plain"},
		{"a.b/noext", "x", 1, "text/plain"},
		{"empty", "", 0, "application/octet-stream"},
		{"a.html", "<html>", 6, "text/html"},
		{"a.png", "\x89PNG\r\n\x1a\n....", 12, "image/png"},
		{"a.txt", "\x89PNG\r\n\x1a\n....", 12, "image/png"},
		{"a.png", "<html><script>", 14, "text/plain"},
		{"a.png", "\x01\x02\xff", 3, "application/octet-stream"},
		{"a.html", "\xff\xfe<", 3, "application/octet-stream"},
		{"a.svg", "<svg", 4, "image/svg+xml"},
		{"a.pdf", "%PDF-1.7", 8, "application/pdf"},
		{"a.jpg", "\xff\xd8\xff\xe0", 4, "image/jpeg"},
		{"a.zip", "PK\3\4xxxx", 8, "application/zip"},
		{"a.xlsx", "PK\3\4xxxx", 8,
			"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		{"a.xlsx", "no zip", 6, "text/plain"},
		{"a.parquet", "PAR1....", 8, "application/vnd.apache.parquet"},
		{"a.webp", "RIFF\1\2\3\4WEBPVP8 ", 16, "image/webp"},
		{"a.csv", "a\0b", 3, "application/octet-stream"},
		{"a.txt", "a\0b", 3, "application/octet-stream"},
		{"cut.csv", "a\xe2\x82", 3, "text/csv"},
		{"", "", 0, "application/octet-stream"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(
			mime_of(span_text(cases[i].name), span_of(cases[i].head, cases[i].bytes)),
			cases[i].mime);
}

static void digests(void **state)
{
	(void)state;
	unsigned char digest[DIGEST_BYTES];
	char hex[DIGEST_HEX_BYTES];
	int fd = check_memfd("abc", 3);
	assert_int_equal(digest_fd(fd, 3, digest), 0);
	digest_hex(digest, hex);
	assert_string_equal(
		hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_int_equal(digest_fd(fd, 0, digest), 0);
	digest_hex(digest, hex);
	assert_string_equal(
		hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_int_equal(digest_fd(fd, 4, digest), -ENODATA);
	assert_int_equal(digest_fd(-1, 1, digest), -EBADF);
	(void)close(fd);
}

static void ids(void **state)
{
	(void)state;
	char a[JOB_ID_BYTES], b[JOB_ID_BYTES];
	assert_int_equal(job_id_make(a), 0);
	assert_int_equal(job_id_make(b), 0);
	assert_string_not_equal(a, b);
	assert_int_equal(strlen(a), 33);
	assert_int_equal(strspn(a, "0123456789abcdefghijklmnopqrstuvwxyz"), 33);
	assert_int_equal(fault_id_make(a), 0);
	assert_int_equal(strlen(a), 13);
	assert_int_equal(a[0], 'f');
}

/* The table against the kernel's header, line by line. */
static void system_calls(void **state)
{
	(void)state;
	char line[256], name[64], out[SYSCALL_NAME_BYTES];
	int number;
	size_t seen = 0;
	FILE *header = fopen("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "re");
	if (!header) {
		print_message("skip: no asm/unistd_64.h on this machine\n");
		skip();
	}
	while (fgets(line, sizeof(line), header)) {
		if (sscanf(line, "#define __NR_%63s %d", name, &number) != 2)
			continue;
		assert_string_equal(syscall_name(AUDIT_ARCH_X86_64, number, out), name);
		seen++;
	}
	(void)fclose(header);
	assert_true(seen > 300);
}

static void other_system_calls(void **state)
{
	(void)state;
	char out[SYSCALL_NAME_BYTES];
	assert_string_equal(syscall_name(0, 101, out), "ptrace");
	assert_string_equal(syscall_name(AUDIT_ARCH_I386, 26, out), "int 0x80 call 26");
	assert_string_equal(syscall_name(AUDIT_ARCH_X86_64, 0x40000000 | 59, out), "x32 call 59");
	assert_string_equal(syscall_name(AUDIT_ARCH_X86_64, 335, out), "system call 335");
	assert_string_equal(syscall_name(AUDIT_ARCH_X86_64, 600, out), "system call 600");
	assert_string_equal(syscall_name(AUDIT_ARCH_AARCH64, 1, out), "call 1 of arch 0xc00000b7");
	assert_string_equal(syscall_name(0, -1, out), "unknown");
	assert_string_equal(syscall_name(0, 452, out), "fchmodat2");
	assert_non_null(syscall_name(UINT32_MAX, INT32_MAX, out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures),
		cmocka_unit_test(lines),
		cmocka_unit_test(turning_marks),
		cmocka_unit_test(cuts),
		cmocka_unit_test(cuts_never_split_a_character),
		cmocka_unit_test(terminals),
		cmocka_unit_test(output_whole),
		cmocka_unit_test(output_cut),
		cmocka_unit_test(output_of_nothing_but_broken_bytes_fits),
		cmocka_unit_test(mimes),
		cmocka_unit_test(digests),
		cmocka_unit_test(ids),
		cmocka_unit_test(system_calls),
		cmocka_unit_test(other_system_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
