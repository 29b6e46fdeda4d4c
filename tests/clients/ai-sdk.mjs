// @ai-sdk/mcp: its tools' own results.
import { createMCPClient } from "@ai-sdk/mcp";
import { exercise, url } from "./lib.mjs";

const client = await createMCPClient({ transport: { type: "http", url } });
const tools = await client.tools();
await exercise("@ai-sdk/mcp", Object.keys(tools), (name, args) =>
  tools[name].execute(args, { toolCallId: "1", messages: [] }));
await client.close();
