// What every client has to show: both tools work, and a chart arrives as an image that is one.
// Each client hands in call(name, args) → an MCP tool result, or as much of it as it passes on.

export const url = process.env.BRIG_MCP_URL;
export const brig = process.env.BRIG;

const chart = "import matplotlib.pyplot as plt\nplt.plot([1, 4, 9])\nplt.title('squares')\nprint('drawn')";

function check(condition, what, got) {
  if (!condition) throw new Error(`${what}; got ${JSON.stringify(got)?.slice(0, 400)}`);
}

const text = (result) => (result.content ?? []).filter((c) => c.type === "text").map((c) => c.text).join("\n");

export async function exercise(name, tools, call) {
  const names = tools.map((t) => t.replace(/^.*__/, "")).sort();
  check(names.includes("calculate") && names.includes("run_sandboxed"), "both tools are listed", tools);

  let result = await call("calculate", { expr: "0.1 + 0.2" });
  check(text(result).includes("0.30000000000000004 (exactly 0.3)"), "the sum, as text", result);

  result = await call("run_sandboxed", { code: chart });
  check(text(result).includes("drawn"), "what was printed", result);
  const image = (result.content ?? []).find((c) => c.type === "image" || c.type === "media" || c.type === "image_url");
  check(image, "a chart among the content", result);
  const data = image.data ?? image.image_url?.url?.replace(/^data:[^,]*,/, "");
  const bytes = Buffer.from(data, "base64");
  check(bytes.subarray(1, 4).toString() === "PNG" && bytes.length > 1000, "the chart is a PNG", bytes.length);

  let failure;
  try {
    failure = await call("run_sandboxed", { code: "1/0" });
  } catch (error) {
    failure = { content: [{ type: "text", text: String(error) }] };
  }
  check(text(failure).includes("ZeroDivisionError"), "an exception is told by its name", failure);
  console.log(`ok ${name}`);
}
