"""try_mcp.py CONFIG: does what an MCP client does with its line of configuration.

Starts the command or calls the address, asks for the tools, and calls both once.
"""
import json
import subprocess
import sys
import urllib.request

VERSION = "2025-11-25"


def over_pipes(server):
    process = subprocess.Popen([server["command"], *server["args"]], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)

    def ask(message):
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        while "id" in message:
            line = process.stdout.readline()
            if not line:
                sys.exit("the server ended without an answer")
            answer = json.loads(line)
            if answer.get("id") == message["id"]:
                return answer
        return None

    return ask


def over_http(server):
    def ask(message):
        request = urllib.request.Request(
            server["url"], json.dumps(message).encode(),
            {"content-type": "application/json", "mcp-protocol-version": VERSION,
             "accept": "application/json, text/event-stream"})
        with urllib.request.urlopen(request, timeout=60) as reply:
            text = reply.read().decode()
        for line in text.splitlines():
            if line.startswith("data:"):
                text = line[5:]
        return json.loads(text) if text.strip() else None

    return ask


def main():
    server = json.loads(sys.argv[1])["mcpServers"]["brig"]
    ask = over_pipes(server) if "command" in server else over_http(server)
    number = 0

    def call(method, **params):
        nonlocal number
        number += 1
        answer = ask({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        if "result" not in answer:
            sys.exit(f"{method}: {answer}")
        return answer["result"]

    call("initialize", protocolVersion=VERSION, capabilities={},
         clientInfo={"name": "quickstart", "version": "1"})
    ask({"jsonrpc": "2.0", "method": "notifications/initialized"})
    print("tools:", ", ".join(tool["name"] for tool in call("tools/list")["tools"]))
    for tool, arguments in (("calculate", {"expr": "0.1 + 0.2"}),
                            ("run_sandboxed", {"code": "print(6 * 7)"})):
        result = call("tools/call", name=tool, arguments=arguments)
        text = " ".join(part.get("text", "") for part in result["content"])
        print(f"{tool}({json.dumps(arguments)}): {text.strip()}")
        if result.get("isError"):
            sys.exit(1)


main()
