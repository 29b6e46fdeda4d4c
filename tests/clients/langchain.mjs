// @langchain/mcp-adapters: content in the shapes of LangChain's messages.
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { exercise, url } from "./lib.mjs";

const client = new MultiServerMCPClient({ mcpServers: { brig: { transport: "http", url } } });
const tools = await client.getTools();
const named = (name) => tools.find((t) => t.name.endsWith(name));
await exercise("@langchain/mcp-adapters", tools.map((t) => t.name), async (name, args) => {
  const content = await named(name).invoke(args);
  if (typeof content === "string") return { content: [{ type: "text", text: content }] };
  return { content: Array.isArray(content) ? content : [content] };
});
await client.close();
