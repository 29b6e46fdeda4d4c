// @modelcontextprotocol/client, which finds out the era by itself.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { exercise, url } from "./lib.mjs";

const client = new Client({ name: "brig-test", version: "1" }, { versionNegotiation: { mode: "auto" } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const { tools } = await client.listTools();
await exercise("@modelcontextprotocol/client", tools.map((t) => t.name), (name, args) => client.callTool({ name, arguments: args }));
await client.close();
