// mcporter: the command line that many agents call, over HTTP and stdio.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brig, exercise, url } from "./lib.mjs";

const folder = mkdtempSync(join(tmpdir(), "mcporter-"));
const config = join(folder, "mcporter.json");
writeFileSync(config, JSON.stringify({ mcpServers: { web: { baseUrl: url }, pipe: { command: brig, args: ["mcp", "--role", "local"] } } }));

function mcporter(...args) {
  const program = join(import.meta.dirname, "node_modules/mcporter/dist/cli.js");
  try {
    return execFileSync(process.execPath, [program, "--config", config, ...args], { encoding: "utf8", maxBuffer: 1 << 26 });
  } catch (error) {
    return error.stdout + error.stderr; // a result that is an error ends with a status of its own
  }
}

// It prints the text, and puts images into a folder.
function call(server, name, args) {
  const images = mkdtempSync(join(folder, "images-"));
  const text = mcporter("call", `${server}.${name}`, "--args", JSON.stringify(args), "--output", "text", "--save-images", images);
  const content = readdirSync(images).map((file) => ({ type: "image", data: readFileSync(join(images, file), "base64") }));
  return { content: [{ type: "text", text }, ...content] };
}

try {
  for (const server of ["web", "pipe"]) {
    const list = JSON.parse(mcporter("list", server, "--schema", "--json"));
    await exercise(`mcporter, ${server}`, list.tools.map((t) => t.name), (name, args) => call(server, name, args));
  }
} finally {
  rmSync(folder, { recursive: true });
}
