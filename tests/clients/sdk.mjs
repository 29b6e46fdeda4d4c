// @modelcontextprotocol/sdk, the older era, over Streamable HTTP and over stdio.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { brig, exercise, url } from "./lib.mjs";

async function session(name, transport) {
  const client = new Client({ name: "brig-test", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  await exercise(name, tools.map((t) => t.name), (tool, args) => client.callTool({ name: tool, arguments: args }));

  let progress = 0;
  await client.callTool({ name: "run_sandboxed", arguments: { code: "import time; time.sleep(1.5)" } }, undefined, {
    onprogress: () => progress++,
  });
  if (progress < 2) throw new Error(`progress was told ${progress} times`);

  const abort = new AbortController();
  const call = client.callTool({ name: "run_sandboxed", arguments: { code: "import time; time.sleep(20)" } }, undefined, {
    signal: abort.signal,
  });
  setTimeout(() => abort.abort("changed my mind"), 300);
  await call.then(() => { throw new Error("a cancelled call came back"); }, () => {});

  const left = await client.callTool({ name: "run_sandboxed", arguments: { code: "open('a.csv', 'w').write('x\\n1\\n')" } });
  const link = left.content.find((c) => c.type === "resource_link");
  const read = await client.readResource({ uri: link.uri });
  if (read.contents[0].text !== "x\n1\n") throw new Error(`the file reads ${JSON.stringify(read)}`);
  await client.close();
  console.log(`ok ${name} progress, cancellation, resources`);
}

await session("@modelcontextprotocol/sdk over HTTP", new StreamableHTTPClientTransport(new URL(url)));
await session("@modelcontextprotocol/sdk over stdio", new StdioClientTransport({ command: brig, args: ["mcp", "--role", "local"] }));
