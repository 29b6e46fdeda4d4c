"""A `brig serve` of a test's own: its roles, its audit log, and requests to it."""

import hashlib
import http.client
import json
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import tempfile

import host

RESEARCH, BILLING, AUDITOR = "token-research", "token-billing", "token-auditor"
MODERN = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {}}


def config_text(folder, extra=""):
    def token(name, text, role):
        return f"[token {name}]\nsha256 = {hashlib.sha256(text.encode()).hexdigest()}\nrole = {role}\n"
    return (
        f"[audit]\ndb = {folder}/log/audit.db\n"
        "[role local]\ntools = calculate, run_sandboxed\n"
        f"[role research]\ntools = calculate, run_sandboxed\nfile_root data = {folder}/data\n"
        "wall_max = 60s\n"
        "[role billing]\ntools = calculate\n"
        "[role auditor]\ntools = calculate\naudit = yes\n"
        + token("ci", RESEARCH, "research") + token("bill", BILLING, "billing")
        + token("eye", AUDITOR, "auditor") + extra)


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def events(self):
        """[(event, data)] of a text/event-stream."""
        blocks = [b for b in self.body.decode().split("\n\n") if b and not b.startswith(":")]
        pairs = [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]
        return [(p.get("event"), json.loads(p["data"])) for p in pairs]


class Dispatcher:
    def __init__(self, *args, extra="", config=None):
        self.holder = tempfile.TemporaryDirectory(prefix="brigtest-", dir="/var/tmp")
        self.folder = pathlib.Path(self.holder.name)
        self.folder.chmod(0o755)
        (self.folder / "data").mkdir()
        self.config = self.folder / "brig.ini"
        self.config.write_text(config_text(self.folder, extra) if config is None
                               else config.format(folder=self.folder))
        self.socket = str(self.folder / "http.sock")
        self.args = args

    def __enter__(self):
        self.log = open(self.folder / "stderr", "w+")
        self.process = subprocess.Popen(
            [host.BRIG, "serve", "--config", self.config, "--listen", "127.0.0.1:0", "--socket",
             self.socket, *self.args], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self.log)
        ready = host.wait_until(self.find_ready, "brig serve becoming ready")
        self.url = ready["url"]
        self.port = int(self.url.rsplit(":", 1)[1])
        return self

    def find_ready(self):
        text = (self.folder / "stderr").read_text()
        assert self.process.poll() is None, text
        lines = [json.loads(line) for line in text.split("\n") if line.startswith("{")]
        return next((line for line in lines if line["event"] == "ready"), None)

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(host.WATCHDOG_S)
        self.log.close()
        text = self.log_text()
        self.holder.cleanup()
        assert "Sanitizer" not in text and "runtime error" not in text, text[-4000:]

    def log_text(self):
        return (self.folder / "stderr").read_text()

    def child(self, name):
        """The pid of the one child with that name, or None while it is being started again."""
        found = [pid for pid, (parent, comm, state) in host.processes().items()
                 if parent == self.process.pid and comm == name and state != "Z"]
        return found[0] if found else None

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=host.WATCHDOG_S)

    def request(self, method, path, body=None, token=None, headers=None, connection=None):
        own = connection or self.connect()
        fields = dict(headers or {})
        if token:
            fields["Authorization"] = f"Bearer {token}"
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if body is not None:
            fields.setdefault("Content-Type", "application/json")
        own.request(method, path, body, fields)
        answer = own.getresponse()
        reply = Reply(answer.status, answer.headers, answer.read())
        if not connection:
            own.close()
        return reply

    def run(self, code, token=None, headers=None, connection=None, **more):
        return self.request("POST", "/v1/run", {"code": code, **more}, token, headers, connection)

    def calculate(self, expr, token=None, connection=None):
        return self.request("POST", "/v1/calculate", {"expr": expr}, token,
                            connection=connection)

    def mcp(self, method, params=None, token=None, modern=False, headers=None):
        message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": dict(params or {})}
        fields = {"Accept": "application/json, text/event-stream", **(headers or {})}
        if modern:
            message["params"].setdefault("_meta", dict(META))
            fields.setdefault("MCP-Protocol-Version", MODERN)
            fields.setdefault("Mcp-Method", method)
            name = message["params"].get("name" if method == "tools/call" else "uri")
            if name:
                fields.setdefault("Mcp-Name", name)
        return self.request("POST", "/mcp", message, token, fields)

    def raw(self, data, shut=False, wait=True):
        """What comes back for bytes as they are, until the other end closes or falls silent."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as s:
            got = b""
            try:
                s.sendall(data)
                if shut:
                    s.shutdown(socket.SHUT_WR)
                s.settimeout(20 if wait else 0.3)
                while piece := s.recv(65536):
                    got += piece
            except (TimeoutError, ConnectionResetError, BrokenPipeError):
                pass
        return got

    def audit(self, columns="*", where="1"):
        path = self.folder / "log/audit.db"
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
            return db.execute(f"select {columns} from entry where {where}").fetchall()

    def kill(self, name):
        if pid := self.child(name):
            os.kill(pid, signal.SIGKILL)
        return pid
