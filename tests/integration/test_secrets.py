"""Secrets that pass through the running dispatcher: none is written down, in no file and no log.

They are put together at run time, from a prefix in two parts and letters of a seeded generator:
none stands in this file. They go in by every door, as code, standard input, output, exception, name
of a file, expression; split over two writes at every place where that can be; and behind and across
what the log keeps of a text.
"""

import base64
import hashlib
import json
import random
import string
import subprocess
import uuid

import pytest

import host
from dispatcher import BILLING, Dispatcher

RANDOM = random.Random(20261130)
ALNUM = string.ascii_letters + string.digits
URL, HEX, BASE32 = ALNUM + "-_", "0123456789abcdef", string.ascii_uppercase + "234567"
PLAIN = [  # prefix, its other half, what follows of which, how many
    ("AK", "IA", BASE32, 16), ("AS", "IA", BASE32, 16), ("AB", "IA", BASE32, 16),
    ("AC", "CA", BASE32, 16), ("AB", "SK", ALNUM, 120), ("gh", "p_", ALNUM, 36),
    ("gh", "o_", ALNUM, 36), ("gh", "u_", ALNUM, 36), ("gh", "r_", ALNUM, 36),
    ("gh", "s_", ALNUM, 40), ("github", "_pat_", ALNUM, 82), ("gl", "pat-", URL, 20),
    ("gl", "ptt-", HEX, 40), ("xo", "xb-", ALNUM, 48), ("xo", "xp-", ALNUM, 48),
    ("xo", "xa-", ALNUM, 48), ("xo", "xr-", ALNUM, 48), ("xo", "xs-", ALNUM, 48),
    ("xa", "pp-", ALNUM, 48), ("https://hooks.slack", ".com/services/", ALNUM, 44),
    ("sk-ant", "-api03-", URL, 93), ("sk-ant", "-admin01-", URL, 93), ("AI", "za", URL, 35),
    ("sk_", "live_", ALNUM, 24), ("sk_", "test_", ALNUM, 24), ("rk_", "live_", ALNUM, 24),
    ("rk_", "prod_", ALNUM, 99), ("np", "m_", ALNUM, 36), ("pypi-AgEI", "cHlwaS5vcmc", URL, 120),
    ("h", "f_", string.ascii_letters, 34), ("S", "G.", URL, 66), ("S", "K", HEX, 32),
    ("dop", "_v1_", HEX, 64), ("doo", "_v1_", HEX, 64), ("dor", "_v1_", HEX, 64),
    ("shp", "at_", HEX, 32), ("da", "pi", HEX, 32), ("hv", "s.", URL, 95), ("hv", "b.", URL, 140),
    ("gl", "c_", ALNUM, 60), ("lin", "_api_", ALNUM, 40), ("nt", "n_", ALNUM, 46),
    ("pp", "lx-", ALNUM, 48), ("pu", "l-", HEX, 40), ("ruby", "gems_", HEX, 48),
    ("br", "ig_", URL, 43), ("br", "ig_", URL, 43), ("br", "ig_", URL, 43),
    ("AGE-SECRET", "-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
]


def tail(letters, count):
    return "".join(RANDOM.choice(letters) for _ in range(count))


def part64(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def pem(title):
    body = "\n".join(tail(ALNUM + "+/", 64) for _ in range(6))
    return f"-----BEG" + f"IN {title}-----\n{body}\n-----E" + f"ND {title}-----"


def others():
    yield "sk" + "-" + tail(ALNUM, 20) + "T3Blbk" + "FJ" + tail(ALNUM, 20)
    for kind, sides in (("-proj-", 74), ("-svcacct-", 58), ("-admin-", 58)):
        yield "sk" + kind + tail(URL, sides) + "T3Blbk" + "FJ" + tail(URL, sides)
    yield tail(ALNUM, 14) + ".atlas" + "v1." + tail(URL, 64)
    yield tail(ALNUM, 3) + "7Q~" + tail(URL, 32)
    yield "gl" + "sa_" + tail(ALNUM, 32) + "_" + tail(HEX, 8)
    for number in range(3):
        yield ".".join((part64({"alg": "HS256", "typ": "JWT"}), part64({"sub": number}),
                        tail(URL, 43)))
    for title in ("RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY"):
        yield pem(title)
    yield "postgres://me:" + tail(ALNUM, 20) + "@db.example/x"
    yield "DB_PASS" + "WORD=" + tail(ALNUM, 22)


SECRETS = [first + second + tail(letters, count) for first, second, letters, count in PLAIN]
SECRETS = [s + "AA" if s.startswith("sk-ant") else s for s in SECRETS] + list(others())
NAMED = ["quite an ordinary-looking value", "zz" + tail(ALNUM, 12)]  # that the operator names

LOOKALIKES = (
    [hashlib.sha256(b"%d" % i).hexdigest() for i in range(40)]
    + [hashlib.sha1(b"%d" % i).hexdigest() for i in range(30)]
    + [hashlib.md5(b"%d" % i).hexdigest() for i in range(30)]
    + [str(uuid.UUID(int=RANDOM.getrandbits(128), version=4)) for _ in range(40)]
    + [base64.b64encode(RANDOM.randbytes(33)).decode() for _ in range(40)]
    + ["brig_http_connections_total", "brig_stage_seconds_bucket", "brig_" + "a_long_name_of_" * 4,
       "brig_" + "A1b2C3d4" * 5, "BRIG_TOKEN_FILE", "brig_" + "-" * 60, "brig-service"]
    + ["sha256-" + base64.b64encode(hashlib.sha256(b"x%d" % i).digest()).decode()
       for i in range(20)])

CONFIG = """[audit]
db = {folder}/log/audit.db
redact_file = {folder}/redact
[role local]
tools = calculate, run_sandboxed
[role billing]
tools = calculate
[token bill]
sha256 = %s
role = billing
""" % hashlib.sha256(BILLING.encode()).hexdigest()


class Named(Dispatcher):
    """A dispatcher that knows the operator's values."""

    def __init__(self):
        super().__init__(config=CONFIG)
        path = self.folder / "redact"
        path.write_text("\n".join(NAMED) + "\n")
        path.chmod(0o600)
        fields = self.config.read_text()
        assert "redact_file" in fields


@pytest.fixture(scope="module")
def brig():
    with Named() as running:
        yield running


def revealing(secret):
    """What must not be found: the secret without what anybody may know, in pieces."""
    if "PRIVATE KEY" in secret:
        return secret.split("\n")[1:-1]
    if secret.startswith("postgres"):
        return [secret[14:34]]
    if "PASSWORD=" in secret:
        return [secret[12:]]
    if secret.startswith("ey"):
        return [secret.rsplit(".", 1)[1]]
    return [secret[-14:]] if secret not in NAMED else [secret]


def written(brig):
    """All that this brig has written down, and all that it shows to who looks on."""
    files = [p for p in brig.folder.rglob("*") if p.is_file() and p.name not in
             ("brig.ini", "redact", "token")]
    assert {p.name for p in files} >= {"audit.db", "audit.db-wal", "stderr"}, files
    pages = [brig.request("GET", "/metrics").body, brig.request("GET", "/openapi.json").body]
    return b"\n".join([p.read_bytes() for p in files] + pages)


def assert_gone(brig, secrets):
    everything = written(brig)
    for secret in secrets:
        for piece in revealing(secret):
            at = everything.find(piece.encode())
            assert at < 0, (secret[:12], everything[max(0, at - 100):at + 60])


def groups(of, size):
    return [of[i:i + size] for i in range(0, len(of), size)]


def test_sixty_shapes():
    assert len(SECRETS) + len(NAMED) >= 60 and len(set(SECRETS)) == len(SECRETS)
    assert len(LOOKALIKES) == len(set(LOOKALIKES)) == 207


def test_in_code_and_expressions(brig):
    for secret in SECRETS + NAMED:
        assert brig.run(f"x = {secret!r}\nlen(x)").json["outcome"] == "ok"
        brig.calculate(repr(secret))
        assert brig.run(f"# {secret}\n1", token=BILLING).status == 403
    assert_gone(brig, SECRETS + NAMED)
    assert any("[redacted:" in code for code, in brig.audit("code"))


def test_in_standard_input(brig):
    for group in groups(SECRETS + NAMED, 8):
        reply = brig.run("input()", stdin="\n".join(group) + "\n")
        assert reply.json["outcome"] == "ok"
    assert_gone(brig, SECRETS + NAMED)
    heads = [head for head, in brig.audit("stdin", "stdin != ''")]
    assert len(heads) >= 8 and all("[redacted:" in head for head in heads)


def test_what_is_written_is_looked_at(brig):
    """The control: what is no secret is found where the secrets are not."""
    brig.run("print('canary-' + 'of-output'); raise ValueError('canary-' + 'of-error')",
             stdin="canary-of-stdin")
    everything = written(brig)
    for text in (b"canary-of-output", b"canary-of-error", b"canary-of-stdin", b"'canary-'"):
        assert text in everything


# The secret is assembled in the job, so that its code does not hold it; each write is a chunk.
IN_TWO = """
import os
parts = [{parts}]
for half in parts:
    os.write({fd}, bytes(c ^ 1 for c in half))
"""


def split_output(secret, at, fd=1):
    data = secret.encode() + b"\n"
    parts = ", ".join(repr(bytes(c ^ 1 for c in half)) for half in (data[:at], data[at:]))
    return IN_TWO.format(parts=parts, fd=fd)


def test_in_output_split_over_chunks(brig):
    for number, secret in enumerate(SECRETS + NAMED):
        at = 1 + number * 7 % (len(secret) - 1)
        reply = brig.run(split_output(secret, at, fd=1 + number % 2))
        shown = reply.json["stdout"] + reply.json["stderr"]
        assert secret in shown  # the caller sees what it printed
    assert_gone(brig, SECRETS + NAMED)


def test_in_a_stream_of_events(brig):
    for secret in SECRETS[::6]:
        reply = brig.run(split_output(secret, 5), headers={"Accept": "text/event-stream"})
        assert reply.events()[-1][0] == "result"
    assert_gone(brig, SECRETS)


def test_across_what_is_kept(brig):
    """The head of the output is 4 KiB: a secret that begins within it and ends behind it."""
    for number, secret in enumerate(SECRETS[:46]):
        before = 4096 - 2 - number % (len(secret) - 2)
        code = f"print('.' * {before - 1})\n" + split_output(secret, 3)
        brig.run(code)
        # Of a cut secret its beginning would be left: more than the prefix is too much.
        everything = written(brig)
        assert secret[: len(secret) // 2 + 4].encode() not in everything, secret[:8]


def test_in_exceptions(brig):
    for secret in SECRETS + NAMED:
        masked = bytes(c ^ 1 for c in secret.encode())
        code = f"text = bytes(c ^ 1 for c in {masked!r}).decode()\nraise ValueError(text)"
        assert brig.run(code).json["error"]["type"] == "ValueError"
    assert_gone(brig, SECRETS + NAMED)
    assert any("ValueError: [redacted:" in error for error, in brig.audit("error"))


def test_in_names(brig):
    secrets = [s for s in SECRETS if "/" not in s and "\n" not in s and len(s) < 200]
    for group in groups(secrets, 8):
        files = [{"name": name, "content": "x"} for name in group]
        assert brig.run("1", files=files).json["outcome"] == "ok"
    assert_gone(brig, secrets)


def test_over_mcp(brig):
    for secret in [s for s in SECRETS if "\n" not in s][::4]:
        reply = brig.mcp("tools/call", {"name": "run_sandboxed", "arguments": {
            "code": f"x = {secret!r}\nprint(x)\nraise RuntimeError(x)", "stdin": secret}},
            modern=True)
        assert reply.status == 200
        brig.mcp("tools/call", {"name": secret, "arguments": {"expr": secret}}, modern=True)
    assert_gone(brig, SECRETS)


def test_by_the_command_line(brig):
    for secret in SECRETS[::8]:
        done = host.run_brig("run", "--socket", brig.socket, "--stdin", "-", "-c",
                             f"print(input(), {secret!r})", input=secret.split("\n")[0].encode())
        assert done.returncode == 0
    assert_gone(brig, SECRETS)


def test_look_alikes_stay(brig):
    for group in groups(LOOKALIKES, 40):
        listing = "\n".join(group)
        brig.run(f"rows = '''\n{listing}\n'''\nprint(rows)", stdin=listing)
    rows = brig.audit("code, stdin, output")
    for column, what in enumerate(("code", "stdin", "output")):
        text = "\n".join(row[column] or "" for row in rows)
        assert [one for one in LOOKALIKES if one not in text] == [], what


def test_a_token_of_brig_s_own(brig):
    told = host.run_brig("token", "new", "ci", "--role", "local").stderr.decode()
    token = told.removeprefix("token: ").strip()
    assert len(token) == 48
    brig.run(f"key = {token!r}\nprint(key)\nraise RuntimeError(key)", stdin=token)
    brig.calculate(token)
    brig.run("1", **{token: 1})
    assert_gone(brig, [token])
    assert [row[0] for row in brig.audit("role", "code like '%[redacted:brig]%'")]


def test_the_log_still_verifies(brig):
    done = subprocess.run([host.BRIG, "audit", "verify", "--db", brig.folder / "log/audit.db"],
                          capture_output=True)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([host.BRIG, "audit", "export", "--db", brig.folder / "log/audit.db"],
                          capture_output=True)
    for secret in SECRETS + NAMED:
        for piece in revealing(secret):
            assert piece.encode() not in done.stdout, secret[:12]
