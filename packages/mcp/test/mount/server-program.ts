// A server of a few lines that speaks the protocol of 2025 by hand, so that it can do what no library lets it do.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [behaviour = "", notes = ""] = process.argv.slice(2);
const is = (word: string) => behaviour.split(",").includes(word);
const send = (message: object) =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const note = (text: string) => notes !== "" && appendFileSync(notes, `${text}\n`);
const text = (value: string) => ({ content: [{ type: "text", text: value }] });
/** At once. */
function end(code: number): never {
  // oxlint-disable-next-line unicorn/no-process-exit -- it is what is tried
  process.exit(code);
}
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
let calls = 0;

note(`started ${process.pid}`);
if (is("never starts")) setInterval(() => {}, 1_000);
if (is("fails")) {
  process.stderr.write("There is no licence file.\n");
  end(3);
}
if (is("prints")) process.stdout.write("Welcome to the server!\n{ not: json }\n[1, 2]\n\u0000\u0001\n");

const object = (properties: object = {}) => ({ type: "object", properties });

function tools(): unknown[] {
  const description =
    notes !== "" && existsSync(`${notes}.description`)
      ? readFileSync(`${notes}.description`, "utf8")
      : "Says it again.";
  const echo = { name: "echo", description, inputSchema: object({ text: { type: "string" } }) };
  const many = [
    "die",
    "hang",
    "big",
    "flood",
    "wait",
    "env",
    "ask",
    "fail",
    "refuse",
    "change",
    "image",
    "reach",
    "where",
    "raw",
  ];
  const others = many.map((name) => ({
    name,
    description: `Does ${name}.`,
    inputSchema: object({ how: {} }),
    ...(name === "where" && { annotations: { readOnlyHint: true } }),
  }));
  if (!is("lies")) return [echo, ...others];
  return [
    echo,
    { name: "no schema" },
    "no tool at all",
    { name: 7, inputSchema: {} },
    {
      name: "wrong schema",
      description: "Its schema is none.",
      inputSchema: { type: "object", properties: { a: { type: 12 } } },
    },
    { name: "no object", description: "Takes a text.", inputSchema: { type: "string" } },
    { name: "echo", description: "The same name again.", inputSchema: object() },
    {
      name: "nulls",
      title: null,
      description: "Has fields that are null.",
      inputSchema: object(),
      outputSchema: null,
      annotations: null,
    },
    { name: "x".repeat(200), description: "A name that is too long.", inputSchema: object() },
    { name: "ünï/code tool", description: "A name of another kind.", inputSchema: object() },
  ];
}

async function call(
  name: string,
  args: Record<string, unknown>,
  id: unknown,
  meta: Record<string, unknown>,
): Promise<object> {
  note(`called ${name}`);
  calls += 1;
  switch (name) {
    case "echo":
      return text(args["text"] as string);
    case "die":
      return end(7);
    case "hang":
      return new Promise(() => {});
    case "big":
      return text("x".repeat(Number(args["how"])));
    case "flood":
      for (let line = 0; line < Number(args["how"]); line++)
        process.stdout.write(`${"noise ".repeat(200)}\n`);
      return text("flooded");
    case "wait":
      for (let step = 1; step <= 3; step++) {
        send({
          method: "notifications/progress",
          params: { progressToken: meta["progressToken"], progress: step, total: 3, message: "steps" },
        });
        await new Promise((done) => setTimeout(done, 20));
      }
      return text("waited");
    case "env":
      return text(JSON.stringify(process.env));
    case "ask":
      send({
        id: "q1",
        method: "elicitation/create",
        params: { message: "Your password?", requestedSchema: object() },
      });
      send({ id: "q2", method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } });
      send({ id: "q3", method: "roots/list" });
      await until(() => answers.size === 3);
      return text(JSON.stringify([...answers.values()]));
    case "fail":
      return { ...text("The printer is out of paper."), isError: true };
    case "refuse":
      send({ id, error: { code: -32_602, message: "how is missing" } });
      return new Promise(() => {});
    case "change":
      if (notes !== "") appendFileSync(`${notes}.description`, String(args["how"]));
      send({ method: "notifications/tools/list_changed" });
      return text("changed");
    case "image":
      if (args["how"] === "wrong") return { content: [{ type: "zzz" }, null, 5] };
      return {
        content: [
          { type: "image", data: PIXEL, mimeType: "image/png" },
          { type: "audio", data: "aGk=", mimeType: "audio/wav" },
        ],
      };
    case "raw":
      return JSON.parse(String(args["how"]));
    case "reach":
      return reach(String(args["how"]));
    case "where":
      return text(JSON.stringify({ cwd: process.cwd(), pid: process.pid, calls }));
  }
  return { ...text(`no ${name}`), isError: true };
}

async function reach(address: string): Promise<object> {
  try {
    const response = await fetch(address);
    return {
      ...text(`status ${response.status}: ${(await response.text()).slice(0, 300)}`),
      isError: !response.ok,
    };
  } catch (thrown) {
    return { ...text(`not reached: ${String((thrown as Error).cause ?? thrown)}`), isError: true };
  }
}

const answers = new Map<unknown, unknown>();

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((done) => setTimeout(done, 5));
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {}, result, error } = JSON.parse(line);
  if (method === undefined) answers.set(id, result ?? error);
  else if (method === "initialize") {
    if (is("never starts")) return;
    const { protocolVersion } = params;
    send({
      id,
      result: {
        protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "program", version: "1" },
        instructions: "Be quick.",
      },
    });
  } else if (method === "tools/list")
    send({ id, result: { tools: tools(), ...(is("repeats its cursor") && { nextCursor: "same" }) } });
  else if (method === "tools/call")
    void call(params.name, params.arguments ?? {}, id, params["_meta"] ?? {}).then((its) =>
      send({ id, result: its }),
    );
  else if (method === "ping") {
    if (!is("deaf")) send({ id, result: {} });
  } else if (id !== undefined) {
    // As servers that know nothing of what came after them.
    if (is("dies of news")) end(1);
    if (!is("silent about news")) send({ id, error: { code: -32_601, message: "Method not found" } });
  }
});
