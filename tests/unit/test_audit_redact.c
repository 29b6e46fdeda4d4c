/*
 * redact: planted secrets of every shape, split at every place, are gone; look-alikes stay.
 *
 * The secrets are put together at run time, from a prefix and letters of a seeded generator: none
 * stands in this file.
 */
#include "check.h"

#include "audit/redact.h"

#include <sodium.h>

#define OUT_BYTES (1u << 20)

static const char alnum[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
static const char url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char hex[] = "0123456789abcdef";
static const char base32[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
static const char bech32[] = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";

static uint64_t seed = 88172645463325252ull;

static uint64_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static char *tail(char *at, const char *charset, size_t count)
{
	size_t size = strlen(charset);
	while (count--)
		*at++ = charset[draw() % size];
	*at = 0;
	return at;
}

static char *text(char *at, const char *literal)
{
	size_t length = strlen(literal);
	memcpy(at, literal, length + 1);
	return at + length;
}

struct plain {
	const char *first, *second; /* the prefix in two parts */
	const char *charset;
	size_t least, most;
};

static const struct plain plains[] = {
	{"AK", "IA", base32, 16, 16},
	{"AS", "IA", base32, 16, 16},
	{"AB", "IA", base32, 16, 16},
	{"AC", "CA", base32, 16, 16},
	{"AB", "SK", base64, 109, 269},
	{"gh", "p_", alnum, 36, 36},
	{"gh", "o_", alnum, 36, 36},
	{"gh", "u_", alnum, 36, 36},
	{"gh", "r_", alnum, 36, 36},
	{"gh", "s_", url, 36, 300},
	{"github", "_pat_", alnum, 82, 82},
	{"gl", "pat-", url, 20, 60},
	{"gl", "ptt-", hex, 40, 40},
	{"xo", "xb-", alnum, 40, 60},
	{"xo", "xp-", alnum, 40, 60},
	{"xo", "xa-", alnum, 40, 60},
	{"xo", "xr-", alnum, 40, 60},
	{"xo", "xs-", alnum, 40, 60},
	{"xa", "pp-", alnum, 40, 60},
	{"https://hooks.slack", ".com/services/", base64, 43, 56},
	{"AI", "za", url, 35, 35},
	{"sk_", "live_", alnum, 10, 99},
	{"sk_", "test_", alnum, 10, 99},
	{"sk_", "prod_", alnum, 10, 99},
	{"rk_", "live_", alnum, 10, 99},
	{"rk_", "test_", alnum, 10, 99},
	{"rk_", "prod_", alnum, 10, 99},
	{"np", "m_", alnum, 36, 36},
	{"pypi-AgEI", "cHlwaS5vcmc", url, 50, 1000},
	{"h", "f_", letters, 34, 34},
	{"S", "G.", url, 66, 66},
	{"S", "K", hex, 32, 32},
	{"dop", "_v1_", hex, 64, 64},
	{"doo", "_v1_", hex, 64, 64},
	{"dor", "_v1_", hex, 64, 64},
	{"shp", "at_", hex, 32, 32},
	{"da", "pi", hex, 32, 32},
	{"hv", "s.", url, 90, 120},
	{"hv", "b.", url, 138, 300},
	{"gl", "c_", base64, 32, 400},
	{"lin", "_api_", alnum, 40, 40},
	{"nt", "n_", alnum, 46, 46},
	{"pp", "lx-", alnum, 48, 48},
	{"pu", "l-", hex, 40, 40},
	{"ruby", "gems_", hex, 48, 48},
	{"br", "ig_", url, 43, 43},
	{"AGE-SECRET", "-KEY-1", bech32, 58, 58},
};

/* Shapes of more than one part. Each writes the secret and returns what of it must not survive. */
static void anthropic_api(char *at)
{
	(void)text(tail(text(text(at, "sk-ant"), "-api03-"), url, 93), "AA");
}

static void anthropic_admin(char *at)
{
	(void)text(tail(text(text(at, "sk-ant"), "-admin01-"), url, 93), "AA");
}

static void openai_of(char *at, const char *kind, size_t sides)
{
	at = tail(text(text(at, "sk"), kind), sides == 20 ? alnum : url, sides);
	(void)tail(text(text(at, "T3Blbk"), "FJ"), sides == 20 ? alnum : url, sides);
}

static void openai_old(char *at)
{
	openai_of(at, "-", 20);
}

static void openai_project(char *at)
{
	openai_of(at, "-proj-", 74);
}

static void openai_service(char *at)
{
	openai_of(at, "-svcacct-", 58);
}

static void openai_admin(char *at)
{
	openai_of(at, "-admin-", 58);
}

static void openai_unmarked(char *at)
{
	static const char *const kinds[] = {"-proj-", "-svcacct-", "-admin-"};
	(void)tail(text(text(at, "sk"), kinds[draw() % 3]), url, 40 + draw() % 120);
}

static void terraform(char *at)
{
	(void)tail(text(text(tail(at, alnum, 14), ".atlas"), "v1."), url, 60 + draw() % 11);
}

static void azure(char *at)
{
	(void)tail(text(tail(tail(at, alnum, 3), "0123456789", 1), "Q~"), url, 31 + draw() % 4);
}

static void grafana(char *at)
{
	(void)tail(text(tail(text(text(at, "gl"), "sa_"), alnum, 32), "_"), hex, 8);
}

static void slack_bot(char *at)
{
	at = tail(text(text(at, "xo"), "xb-"), "0123456789", 12);
	at = tail(text(at, "-"), "0123456789", 12);
	(void)tail(text(at, "-"), alnum, 24);
}

static char *json64(char *at, const char *json)
{
	int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
	(void)sodium_bin2base64(at, 1000, (const unsigned char *)json, strlen(json), variant);
	return at + strlen(at);
}

static void jwt(char *at)
{
	char claims[100];
	(void)snprintf(claims, sizeof(claims), "{\"sub\":\"%llu\",\"iat\":1516239022}",
		(unsigned long long)draw());
	at = text(json64(at, "{\"alg\":\"HS256\",\"typ\":\"JWT\"}"), ".");
	(void)tail(text(json64(at, claims), "."), url, 43);
}

static void pem_of(char *at, const char *title)
{
	at = text(text(text(at, "-----BEG"), "IN "), title);
	at = text(at, "-----\n");
	for (size_t i = 0; i < 12; i++)
		at = text(tail(at, base64, 64), "\n");
	at = text(text(at, "-----E"), "ND ");
	(void)text(text(at, title), "-----");
}

static void pem_rsa(char *at)
{
	pem_of(at, "RSA PRIVATE KEY");
}

static void pem_plain(char *at)
{
	pem_of(at, "PRIVATE KEY");
}

static void pem_openssh(char *at)
{
	pem_of(at, "OPENSSH PRIVATE KEY");
}

static void pem_pgp(char *at)
{
	pem_of(at, "PGP PRIVATE KEY BLOCK");
}

static void (*const parts[])(char *at) = {anthropic_api, anthropic_admin, openai_old,
	openai_project, openai_service, openai_admin, openai_unmarked, terraform, azure, grafana,
	slack_bot, jwt, pem_rsa, pem_plain, pem_openssh, pem_pgp};

/* What stands around a secret. */
static const struct {
	const char *before, *after;
} places[] = {{"", ""}, {"x = '", "'\n"}, {"print(\"", "\")\n"},
	{"https://example.com/?q=", "&b=1"}, {"log line\\n", "\\nmore"}, {"value: ", ", next"},
	{"%3D", "%26"}, {"[", "]"}, {"<", ">"}, {"\x1b[32m", "\x1b[0m"}, {"one two ", " three"},
	{"\xe2\x82\xac", "\xe2\x82\xac"}};

static struct buf run_split(struct redact *redact, const char *data, size_t bytes, size_t split)
{
	struct buf out;
	buf_init(&out, OUT_BYTES);
	assert_int_equal(redact_push(redact, data, split, &out), 0);
	assert_int_equal(redact_push(redact, data + split, bytes - split, &out), 0);
	assert_int_equal(redact_finish(redact, &out), 0);
	return out;
}

static struct buf run_bytes(struct redact *redact, const char *data, size_t bytes)
{
	struct buf out;
	buf_init(&out, OUT_BYTES);
	for (size_t i = 0; i < bytes; i++)
		assert_int_equal(redact_push(redact, data + i, 1, &out), 0);
	assert_int_equal(redact_finish(redact, &out), 0);
	return out;
}

/* No run of the secret's random part of more than 6 bytes is left. */
static bool survives(const struct buf *out, const char *secret)
{
	size_t length = strlen(secret);
	for (size_t i = length / 2; i + 7 <= length && i < length / 2 + 30; i++)
		if (out->len && memmem(out->data, out->len, secret + i, 7))
			return true;
	return length < 14 && memmem(out->data, out->len, secret, length);
}

static void plant(struct redact *redact, const char *before, const char *secret, const char *after)
{
	static char whole[8192];
	int bytes = snprintf(whole, sizeof(whole), "%s%s%s", before, secret, after);
	assert_true(bytes > 0 && (size_t)bytes < sizeof(whole));
	struct buf first = run_split(redact, whole, (size_t)bytes, 0);
	if (survives(&first, secret) || !memmem(first.data, first.len, "[redacted:", 10))
		fail_msg("survived: %.*s", (int)first.len, (const char *)first.data);
	/* What stands around it stays. */
	size_t length = strlen(before);
	assert_memory_equal(first.data, before, length);
	length = strlen(after);
	assert_true(first.len >= length);
	if (length)
		assert_memory_equal(first.data + first.len - length, after, length);
	for (size_t split = 1; split < (size_t)bytes; split++) {
		struct buf next = run_split(redact, whole, (size_t)bytes, split);
		assert_int_equal(next.len, first.len);
		assert_memory_equal(next.data, first.data, first.len);
		buf_done(&next);
	}
	struct buf single = run_bytes(redact, whole, (size_t)bytes);
	assert_int_equal(single.len, first.len);
	assert_memory_equal(single.data, first.data, first.len);
	buf_done(&single);
	buf_done(&first);
}

static struct redact *plain_redact(void)
{
	struct redact *redact;
	assert_true(sodium_init() >= 0);
	assert_int_equal(redact_new(NULL, 0, &redact), 0);
	return redact;
}

static void planted_secrets_go(void **state)
{
	(void)state;
	struct redact *redact = plain_redact();
	static char secret[4096];
	size_t count = 0;
	for (size_t i = 0; i < COUNT(plains); i++) {
		const struct plain *shape = &plains[i];
		for (size_t j = 0; j < 3; j++) {
			size_t length = j == 0	 ? shape->least
					: j == 1 ? shape->most
						 : (shape->least + shape->most) / 2;
			(void)tail(text(text(secret, shape->first), shape->second), shape->charset,
				length);
			size_t place = (i + j) % COUNT(places);
			plant(redact, places[place].before, secret, places[place].after);
			count++;
		}
	}
	for (size_t i = 0; i < COUNT(parts); i++)
		for (size_t j = 0; j < COUNT(places); j += 3) {
			parts[i](secret);
			size_t place = (i + j) % COUNT(places);
			plant(redact, places[place].before, secret, places[place].after);
			count++;
		}
	assert_true(count >= 60);
	redact_free(redact);
}

static void every_place_suits_every_shape(void **state)
{
	(void)state;
	struct redact *redact = plain_redact();
	static char secret[4096], whole[8192];
	for (size_t i = 0; i < COUNT(plains) + COUNT(parts); i++)
		for (size_t j = 0; j < COUNT(places); j++) {
			if (i < COUNT(plains))
				(void)tail(text(text(secret, plains[i].first), plains[i].second),
					plains[i].charset, plains[i].least);
			else
				parts[i - COUNT(plains)](secret);
			int bytes = snprintf(whole, sizeof(whole), "%s%s%s", places[j].before,
				secret, places[j].after);
			struct buf out = run_split(redact, whole, (size_t)bytes, 0);
			if (survives(&out, secret))
				fail_msg("survived: %.*s", (int)out.len, (const char *)out.data);
			buf_done(&out);
		}
	redact_free(redact);
}

static void named_values_go(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"PASSWORD=hunter2", "PASSWORD=[redacted:secret]"},
		{"DB_PASSWORD=hunter2\nNEXT=1", "DB_PASSWORD=[redacted:secret]\nNEXT=1"},
		{"export API_KEY=abcdef123456 && run", "export API_KEY=[redacted:secret] && run"},
		{"password = 'hunter2'\n", "password = '[redacted:secret]'\n"},
		{"password = \"hun\\\"ter2\" # x", "password = \"[redacted:secret]\" # x"},
		{"password: str = \"hunter2\"", "password: str = \"[redacted:secret]\""},
		{"password: Optional[str] = 'hunter2'",
			"password: Optional[str] = '[redacted:secret]'"},
		{"{\"password\": \"hunter2\", \"a\": 1}",
			"{\"password\": \"[redacted:secret]\", \"a\": 1}"},
		{"{'api_key': 'abcdefgh12'}", "{'api_key': '[redacted:secret]'}"},
		{"{\\\"password\\\": \\\"hunter2\\\"}",
			"{\\\"password\\\": \\\"[redacted:secret]\\\"}"},
		{"connect(user='me', password='hunter2', port=1)",
			"connect(user='me', password='[redacted:secret]', port=1)"},
		{"os.environ[\"API_KEY\"] = \"abcdefgh12\"",
			"os.environ[\"API_KEY\"] = \"[redacted:secret]\""},
		{"api_key='abcdefgh12'", "api_key='[redacted:secret]'"},
		{"client-secret: s3cr3tvalue", "client-secret: [redacted:secret]"},
		{"password: correct horse battery\nuser: me",
			"password: [redacted:secret]\nuser: me"},
		{"  - db_password: correct horse\n", "  - db_password: [redacted:secret]\n"},
		{"Authorization: Bearer abc.def-123\r\nHost: x",
			"Authorization: [redacted:authorization]\r\nHost: x"},
		{"headers = {\"Authorization\": \"Bearer abcdefgh\"}",
			"headers = {\"Authorization\": \"[redacted:secret]\"}"},
		{"-H 'X-API-Key: abcdefgh12'", "-H 'X-API-Key: [redacted:secret]'"},
		{"https://x.test/?api_key=abcdefgh12&b=1",
			"https://x.test/?api_key=[redacted:secret]&b=1"},
		{"if password == \"hunter2\":", "if password == \"[redacted:secret]\":"},
		{"password = (\"hunter2\")", "password = (\"[redacted:secret]\")"},
		{"secret = b\"hunter2\"", "secret = b\"[redacted:secret]\""},
		{"secret = f'hunter2'", "secret = f'[redacted:secret]'"},
		{"passphrase = \"\"\"two\nlines\"\"\" + x",
			"passphrase = \"\"\"[redacted:secret]\"\"\" + x"},
		{"dbPassword => 'hunter2'", "dbPassword => '[redacted:secret]'"},
		{"smtp_pass=hunter2", "smtp_pass=[redacted:secret]"},
		{"pwd=hunter2;", "pwd=[redacted:secret];"},
		{"AccountKey=abcd1234+/==;Endpoint=x", "AccountKey=[redacted:secret];Endpoint=x"},
		{"API key: abcdefgh12", "API key: [redacted:secret]"},
		{"(password := 'hunter2')", "(password := '[redacted:secret]')"},
		{"postgres://me:hunter2@db.test/x", "postgres://me:[redacted:url]@db.test/x"},
		{"dsn = 'host=x password=hunter2'", "dsn = 'host=x password=[redacted:secret]'"},
		{"https://AK"
		 "IAABCDEFGHIJKLMNOP:pw@h/",
			"https://[redacted:aws]:[redacted:url]@h/"},
		{"redis://:hunter2@db.test", "redis://:[redacted:url]@db.test"},
		{"https://me:p@ss:w@h.test/x", "https://me:[redacted:url]@h.test/x"},
		{"'amqp://u:hun?ter#2@h'", "'amqp://u:[redacted:url]@h'"},
		{"Authorization: Basic dXNlcjpwYXNz\n",
			"Authorization: [redacted:authorization]\n"},
		{"{'X': 'Basic dXNlcjpwYXNz'}", "{'X': 'Basic [redacted:authorization]'}"},
		{"got Basic dXNlcjpwYXNzd29yZDE=, and", "got Basic [redacted:authorization], and"},
		{"'Authorization: Basic '+'dXNlcjpwYXNz'",
			"'Authorization: Basic '+'[redacted:secret]'"},
		{"{'Authorization': \"Basic \" + \"dXNlcjpwYXNz\"}",
			"{'Authorization': \"Basic \" + \"[redacted:secret]\"}"},
		{"a = 'Basic ' + 'dXNlcjpwYXNz'", "a = 'Basic ' + '[redacted:authorization]'"},
		{"curl -u me:hunter2 https://x", "curl -u me:[redacted:secret] https://x"},
		{"curl -sume:hunter2", "curl -sume:hunter2"},
		{"curl -ume:hunter2 x", "curl -ume:[redacted:secret] x"},
		{"curl --user 'me:hun ter2' x", "curl --user 'me:[redacted:secret]' x"},
		{"curl --user=me:hunter2", "curl --user=me:[redacted:secret]"},
		{"s = 'curl -u me:hunter2'", "s = 'curl -u me:[redacted:secret]'"},
		{"['curl', '-u', 'me:hunter2', 'x']",
			"['curl', '-u', 'me:[redacted:secret]', 'x']"},
		{"\"curl -u \\\"me:hun,ter2\\\" x\"", "\"curl -u \\\"me:[redacted:secret]\\\" x\""},
		{"pw='abc'", "pw='[redacted:secret]'"},
		{"db_pw=hunter2", "db_pw=[redacted:secret]"},
		{"PW=hunter", "PW=[redacted:secret]"},
		{"pw: hunter2", "pw: [redacted:secret]"},
		{"passwort = 'geheim'", "passwort = '[redacted:secret]'"},
		{"Kennwort: geheim12", "Kennwort: [redacted:secret]"},
		{"contrasena='abcd'", "contrasena='[redacted:secret]'"},
		{"contrase\xc3\xb1"
		 "a='abcd'",
			"contrase\xc3\xb1"
			"a='[redacted:secret]'"},
		{"mot_de_passe='abcd'", "mot_de_passe='[redacted:secret]'"},
		{"wachtwoord='abcd'", "wachtwoord='[redacted:secret]'"},
		{"senha='abcd'", "senha='[redacted:secret]'"},
		{"l\xc3\xb6senord='abcd'", "l\xc3\xb6senord='[redacted:secret]'"},
	};
	struct redact *redact = plain_redact();
	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t split = 0; split < strlen(cases[i].in); split++) {
			struct buf out = run_split(redact, cases[i].in, strlen(cases[i].in), split);
			if (out.len != strlen(cases[i].out) ||
				memcmp(out.data, cases[i].out, out.len) != 0)
				fail_msg("%s: %.*s", cases[i].in, (int)out.len,
					(const char *)out.data);
			buf_done(&out);
		}
	redact_free(redact);
}

static void assert_unchanged(struct redact *redact, const char *line)
{
	struct buf out = run_split(redact, line, strlen(line), strlen(line) / 2);
	if (out.len != strlen(line) || (out.len && memcmp(out.data, line, out.len) != 0))
		fail_msg("changed: %s: %.*s", line, (int)out.len, (const char *)out.data);
	buf_done(&out);
}

static void ordinary_code_stays(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"password = getpass.getpass()",
		"Basic understanding of arithmetic, Basic concepts: a",
		"Basic 12345678901234567890",
		"{'Authorization': 'Basic ' + encoded}",
		"print('Authorization: Basic', x)",
		"docker run -u 1000:1000 image",
		"curl -u me https://example.com:8080/x",
		"curl -u $USER:$PASS x",
		"curl --user \"{name}:{password}\" x",
		"sort -u a:bcd; curl x",
		"pw = 120.5",
		"pw = width / 2",
		"pw: float = 3.0",
		"power_kpw = 1200",
		"desenhar = 'abcd'",
		"import pwd; pwd.getpwnam('x')",
		"token = tokens[i]",
		"for token in text.split():",
		"max_tokens=100",
		"n_tokens: int = 5",
		"sort(key=len)",
		"key = lambda x: x[1]",
		"primary_key = 'customer_id'",
		"df.groupby(by='secretary')",
		"password=password",
		"token=self._token",
		"if password is None:",
		"def f(password: str, token: str = None):",
		"password_length = 12",
		"token_count: 12345678",
		"secret_name = 'db-main'",
		"PWD=/home/user",
		"OLDPWD=/mnt/data",
		"compass: north-north-west",
		"print('password:')",
		"print(\"shlex: token=\" + repr(x))",
		"token = Name.Builtin",
		"private_key: CERTIFICATE_KEY_TYPES,",
		"# First pass: determine",
		"    :param password: Unicode password.",
		"assert token == '('",
		"password: ",
		"password:\n  x",
		"x = {'keyboard': 'qwertyuiop'}",
		"https://example.com:8080/path@2x",
		"http://localhost:3000/@vite/client",
		"git@github.com:owner/repo.git",
		"f'postgres://{user}:{password}@{host}/db'",
		"time 12:30:45 @ noon",
		"a::b::c = d",
		"eyelashes_config.eyelashes_value.eyelashes_other",
		"ey.ey.ey",
		"a == b != c <= d",
		"sk_test_performance = 3",
		"risk_test_1234567890ABCDEFGH = 2",
		"sk_learn_model",
		"task-T3BlbkFJ",
		"SK = 1",
		"dapi_version = 2",
		"shelf_life = 3",
		"hf_model_name",
		"brig_http_connections_total",
		"brig_a_name_that_is_as_long_as_a_token_would_be_or_longer",
		"brig_A1b2C3d4",
		"BRIG_TOKEN_FILE",
		"npm_config_registry=https://registry.example/",
		"-----BEGIN CERTIFICATE-----",
		"-----BEGIN PUBLIC KEY-----",
		"-----",
		"--",
		"e",
		"ey",
		"=",
		":",
		"\"",
		"\\",
		"Passwords should be long; see the manual.",
		"x['a':'b']",
		"tokenizer = Tokenizer()",
		"[redacted:github]",
		"password=[redacted:secret]",
		"authorized: true",
		"credentials = load()",
		"password = None",
		"password = os.environ['PASSWORD']",
		"secret = config.get('x')",
		"import secrets",
		"secrets.token_hex(16)",
	};
	struct redact *redact = plain_redact();
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_unchanged(redact, lines[i]);
	redact_free(redact);
}

/* 240 of hashes, UUIDs, base64, base32, git SHAs, long identifiers, numbers, and prefixes that fall
 * one short. */
static void look_alikes_stay(void **state)
{
	(void)state;
	struct redact *redact = plain_redact();
	char line[1200];
	for (size_t i = 0; i < 30; i++) {
		char *at = text(line, "sha256: ");
		(void)tail(at, hex, 64);
		assert_unchanged(redact, line);
		(void)tail(text(line, "commit "), hex, 40);
		assert_unchanged(redact, line);
		at = text(tail(text(line, "id="), hex, 8), "-");
		at = text(tail(text(tail(at, hex, 4), "-4"), hex, 3), "-a");
		(void)tail(text(tail(at, hex, 3), "-"), hex, 12);
		assert_unchanged(redact, line);
		(void)text(tail(text(line, "data:image/png;base64,"), base64, 900), "==");
		assert_unchanged(redact, line);
		(void)tail(text(line, "otp "), base32, 160);
		assert_unchanged(redact, line);
		at = tail(text(line, "def compute_"), "abcdefghijklmnopqrstuvwxyz_", 60);
		(void)text(at, "(x):");
		assert_unchanged(redact, line);
		(void)tail(text(line, "n = "), "0123456789", 40);
		assert_unchanged(redact, line);
		at = text(tail(text(line, "s"), "k", 1), "-proj-");
		(void)tail(at, "abcdefghijklmnopqrstuvwxyz-", 50);
		assert_unchanged(redact, line);
		(void)tail(text(line, "task-admin-"), url, 50);
		assert_unchanged(redact, line);
		(void)tail(text(line, "\"md5\": \""), "0123456789ABCDEF", 32);
		assert_unchanged(redact, line);
	}
	for (size_t i = 0; i < COUNT(plains); i++) {
		const struct plain *shape = &plains[i];
		/* A shape whose least is a guess of its own is left out. */
		if (shape->charset == base64 || !strcmp(shape->first, "xo") ||
			!strcmp(shape->first, "xa"))
			continue;
		(void)tail(text(text(line, shape->first), shape->second), shape->charset,
			shape->least - 1);
		assert_unchanged(redact, line);
	}
	redact_free(redact);
}

static void operators_values_go(void **state)
{
	(void)state;
	const struct span values[] = {span_text("internal-host-7"), span_text("internal-host-7b"),
		span_text("aaaaaaab"), span_text("\x01\x02\x03\x04\x05\x06")};
	struct redact *redact;
	static const struct {
		const char *in, *out;
	} cases[] = {{"see internal-host-7 now", "see [redacted:configured] now"},
		{"see internal-host-7b now", "see [redacted:configured] now"},
		{"internal-host-", "internal-host-"}, {"internal-host-7", "[redacted:configured]"},
		{"aaaaaaaaaaaaaab", "aaaaaaa[redacted:configured]"},
		{"\x01\x02\x03\x04\x05\x06\x01\x02\x03\x04\x05\x06",
			"[redacted:configured][redacted:configured]"}};
	assert_int_equal(redact_new(values, COUNT(values), &redact), 0);
	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t split = 0; split <= strlen(cases[i].in); split++) {
			struct buf out = run_split(redact, cases[i].in, strlen(cases[i].in), split);
			assert_bytes(out.data, out.len, cases[i].out);
			buf_done(&out);
		}
	redact_free(redact);
	const struct span low[] = {span_text("short")};
	assert_int_equal(redact_new(low, 1, &redact), -EINVAL);
	assert_int_equal(redact_new(values, REDACT_VALUES_MAX + 1, &redact), -EINVAL);
}

/* Whatever the bytes, cutting them elsewhere changes nothing. */
/* A secret by its name or shape in one text goes from the others, wherever those are split. */
static void what_is_learned_goes_everywhere(void **state)
{
	static const struct {
		const char *code, *output, *clean;
	} cases[] = {
		{"API_KEY=\"hunter2hunter2\"\nprint(API_KEY[:99])", "hunter2hunter2\n",
			"[redacted:secret]\n"},
		{"password = 'correct horse battery'", "<correct horse battery>!",
			"<[redacted:secret]>!"},
		{"p = {'db_password': 'say \\'friend\\''}", "it is say 'friend'.",
			"it is [redacted:secret]."},
		{"h = {'Authorization': 'Bearer abcdefghijkl'}", "abcdefghijkl",
			"[redacted:secret]"},
		{"u = 'postgres://me:tops3cret@host/db'", "user me, tops3cret",
			"user me, [redacted:url]"},
		{"PASSWORD=short12", "short12", "short12"},
		{"password = get_password()", "get_password", "get_password"},
	};
	(void)state;
	struct redact *redact = plain_redact();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *output = cases[i].output, *clean = cases[i].clean;
		size_t bytes = strlen(output);
		assert_int_equal(redact_learn(redact, span_text(cases[i].code)), 0);
		for (size_t split = 0; split <= bytes; split++) {
			struct buf got = run_split(redact, output, bytes, split);
			if (got.len != strlen(clean) || memcmp(got.data, clean, got.len) != 0)
				fail_msg("%zu: %.*s", i, (int)got.len, (const char *)got.data);
			buf_done(&got);
		}
		redact_unlearn(redact);
		struct buf after = run_split(redact, output, bytes, 0);
		assert_int_equal(after.len, bytes);
		assert_memory_equal(after.data, output, bytes);
		buf_done(&after);
	}
	redact_free(redact);
}

/* However many there are, and however long. */
static void what_is_learned_is_bounded(void **state)
{
	static char code[1 << 20];
	(void)state;
	struct redact *redact = plain_redact();
	char *at = code;
	for (size_t i = 0; i < 5000; i++)
		at += sprintf(at, "PASSWORD_%zu='%0*zu'\n", i, i == 3 ? 9000 : 20, 77777 + i);
	assert_int_equal(redact_learn(redact, span_text(code)), 0);
	struct buf got = run_split(redact, "00000000000000077778", 20, 3);
	assert_int_equal(got.len, strlen("[redacted:secret]"));
	buf_done(&got);
	redact_free(redact);
}

static void chunks_do_not_matter(void **state)
{
	(void)state;
	static const char pieces[][24] = {"password", "=", ":", "\"", "'", "\\", "\n", " ", "ghp_",
		"AKIA", "eyJ", ".", "https://", "@", "-----BEGIN ", "PRIVATE KEY", "-----END ",
		"sk-", "T3BlbkFJ", "Q~", ".atlasv1.", "token", "(", "[", "]", "abcdefghij",
		"0123456789", "ABCDEFGHIJ", "\"\"\"", "%3D", "-", "curl -u", "--user", "Basic ",
		"dXNlcjpwYXNz", "Authorization", "Bearer", "pw", "me:", "+", "\xc3\xb1"};
	struct redact *redact = plain_redact();
	static char data[20000];
	for (size_t round = 0; round < 60; round++) {
		size_t bytes = 0;
		size_t wanted = round < 50 ? 600 : 12000;
		while (bytes < wanted) {
			size_t which = draw() % (COUNT(pieces) + 2);
			if (which < COUNT(pieces))
				bytes = (size_t)(text(data + bytes, pieces[which]) - data);
			else
				bytes = (size_t)(tail(data + bytes, alnum, 1 + draw() % 40) - data);
		}
		struct buf whole = run_split(redact, data, bytes, 0);
		struct buf single = run_bytes(redact, data, bytes);
		struct buf random;
		buf_init(&random, OUT_BYTES);
		for (size_t at = 0; at < bytes;) {
			size_t piece = 1 + draw() % 300;
			piece = piece < bytes - at ? piece : bytes - at;
			assert_int_equal(redact_push(redact, data + at, piece, &random), 0);
			at += piece;
		}
		assert_int_equal(redact_finish(redact, &random), 0);
		assert_int_equal(single.len, whole.len);
		assert_memory_equal(single.data, whole.data, whole.len);
		assert_int_equal(random.len, whole.len);
		assert_memory_equal(random.data, whole.data, whole.len);
		buf_done(&whole);
		buf_done(&single);
		buf_done(&random);
	}
	redact_free(redact);
}

static void long_streams_pass(void **state)
{
	(void)state;
	struct redact *redact = plain_redact();
	struct buf out;
	size_t bytes = 1u << 20;
	char *data = malloc(bytes);
	assert_non_null(data);
	buf_init(&out, 2 * bytes);
	for (size_t i = 0; i < bytes; i++)
		data[i] = (char)draw();
	/* Random bytes hold no secret but by a chance that is none with this seed. */
	assert_int_equal(redact_text(redact, span_of(data, bytes), &out), 0);
	assert_int_equal(out.len, bytes);
	assert_memory_equal(out.data, data, bytes);
	out.len = 0;
	/* A key that never ends is given up after 64 KiB. */
	memset(data, 'A', bytes);
	(void)text(text(data, "-----BEG"), "IN PRIVATE KEY-----");
	assert_int_equal(redact_text(redact, span_of(data, bytes), &out), 0);
	assert_true(out.len > bytes - 70000 && out.len < bytes - 60000);
	buf_done(&out);
	/* The buffer's cap ends it, and the next stream begins anew. */
	buf_init(&out, 100);
	assert_int_equal(redact_text(redact, span_of(data, bytes), &out), 0 - ENOSPC);
	buf_done(&out);
	assert_unchanged(redact, "plain");
	free(data);
	redact_free(redact);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planted_secrets_go),
		cmocka_unit_test(every_place_suits_every_shape),
		cmocka_unit_test(named_values_go),
		cmocka_unit_test(ordinary_code_stays),
		cmocka_unit_test(look_alikes_stay),
		cmocka_unit_test(operators_values_go),
		cmocka_unit_test(what_is_learned_goes_everywhere),
		cmocka_unit_test(what_is_learned_is_bounded),
		cmocka_unit_test(chunks_do_not_matter),
		cmocka_unit_test(long_streams_pass),
	};
	return cmocka_run_group_tests_name("audit_redact", tests, NULL, NULL);
}
