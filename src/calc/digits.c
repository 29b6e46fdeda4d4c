/* digits: integers and decimals as text. */
#include "calc/value.h"

#include <string.h>

#define DIGITS_MAX 39 /* of a 128-bit integer */
#define CHUNK 19      /* of them at a time */

const uint64_t ten_to[TENS] = {1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u,
	100000000u, 1000000000u, 10000000000u, 100000000000u, 1000000000000u, 10000000000000u,
	100000000000000u, 1000000000000000u, 10000000000000000u, 100000000000000000u,
	1000000000000000000u, 10000000000000000000u};

size_t write_digits(uint64_t number, char *text)
{
	static const char pairs[] = "0001020304050607080910111213141516171819"
				    "2021222324252627282930313233343536373839"
				    "4041424344454647484950515253545556575859"
				    "6061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";
	char digits[20];
	char *const end = digits + sizeof(digits), *at = end;
	for (; number >= 10; number /= 100) {
		const char *pair = pairs + number % 100 * 2;
		*--at = pair[1];
		*--at = pair[0];
	}
	if (number || at == end)
		*--at = (char)('0' + number);
	memcpy(text, at, (size_t)(end - at));
	return (size_t)(end - at);
}

size_t write_digits128(uint128 number, char *text)
{
	if (!(number >> 64))
		return write_digits((uint64_t)number, text);
	const uint64_t chunk = ten_to[CHUNK];
	size_t length = write_digits128(number / chunk, text);
	char lower[20];
	size_t count = write_digits((uint64_t)(number % chunk), lower);
	memset(text + length, '0', CHUNK - count);
	memcpy(text + length + CHUNK - count, lower, count);
	return length + CHUNK;
}

char *write_places(uint128 number, size_t places, char *text)
{
	char digits[DIGITS_MAX + 1];
	size_t count = write_digits128(number, digits);
	for (; places && digits[count - 1] == '0'; places--)
		count--;
	size_t before = count > places ? count - places : 0;
	if (before) {
		memcpy(text, digits, before);
		text += before;
	} else {
		*text++ = '0';
	}
	if (!places)
		return text;
	*text++ = '.';
	for (; places > count; places--)
		*text++ = '0';
	memcpy(text, digits + before, count - before);
	return text + (count - before);
}
