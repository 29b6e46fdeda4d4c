// @openai/agents: passes on the content alone.
import { MCPServerStreamableHttp } from "@openai/agents";
import { exercise, url } from "./lib.mjs";

const server = new MCPServerStreamableHttp({ url, name: "brig" });
await server.connect();
const tools = await server.listTools();
await exercise("@openai/agents", tools.map((t) => t.name), async (name, args) => {
  const content = await server.callTool(name, args);
  return Array.isArray(content) ? { content } : content;
});
await server.close();
process.exit(0);
