import { contentToText, type Workspace } from "@haft/core";
import { Registry, SessionFactory } from "@haft/core/kernel";
import { createPolicy } from "@haft/policy";
import commands from "@haft/tools-exec/plugin";
import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
// Records programs on a terminal, driven through `exec` and `process` of a session, as a model sees them, into
// docs/reference/terminal-session.md. Names and process ids are replaced by fixed ones.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const page = join(import.meta.dirname, "../docs/reference/terminal-session.md");
const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-terminal-")));
const files = createHostWorkspace({ root });
const processes = createHostProcesses({ workspace: files, stateFolder: join(root, ".state") });
const workspace: Workspace = { ...files, processes };
const registry = new Registry({ plugins: [commands], builtIn: [commands.id] });
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const policy = createPolicy({}, { tools: await registry.survey(quiet) });
const session = await new SessionFactory({ registry, policy }).open({ kind: "main", workspace });

const NAME = "brisk-otter";
const lines: string[] = [];
let sessionId = "";
let count = 0;

/** Calls a tool and writes down what was asked and answered. */
async function call(name: string, args: Record<string, unknown>): Promise<string> {
  const { action, ...rest } = args;
  const complete = name === "process" ? { action, sessionId, ...rest } : args;
  const outcome = await session.call({ id: `call-${++count}`, name, arguments: complete });
  if (typeof outcome.details["sessionId"] === "string") sessionId = outcome.details["sessionId"];
  const shown = (text: string) =>
    text
      .replaceAll(sessionId || NAME, NAME)
      .replaceAll(/pid \d+/g, "pid 4242")
      .replaceAll(root, "/workspace");
  const text = contentToText(outcome.content);
  lines.push("", `**${name}** \`${shown(JSON.stringify(complete))}\``, "", "```text", shown(text), "```");
  return text;
}

const poll = () => call("process", { action: "poll", timeout: 5_000 });
const keys = (...names: string[]) => call("process", { action: "send-keys", keys: names });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Polls until the answer shows what is waited for; only that answer is kept. */
async function pollUntil(wanted: RegExp): Promise<void> {
  const before = lines.length;
  for (let tries = 0; tries < 20; tries++) {
    lines.length = before;
    if (wanted.test(await poll())) return;
    await pause(100);
  }
  throw new Error(`${String(wanted)} never came.`);
}

async function recordEditor(): Promise<void> {
  lines.push("## vim", "", "A program that draws a whole screen is answered with its screen.");
  await call("exec", { command: "vim -u NONE -N -n notes.txt", pty: true, background: true });
  await pollUntil(/notes\.txt/);
  await call("process", { action: "resize", cols: 50, rows: 8 });
  await keys("i", "Buy milk", "enter", "Cal Bob", "esc", "0", "e", "a", "l", "esc");
  await pollUntil(/Call Bob/);
  await keys(":wq", "enter");
  await pollUntil(/exited/);
  await call("exec", { command: "cat notes.txt" });
}

async function recordRepl(): Promise<void> {
  lines.push(
    "",
    "## A Python REPL",
    "",
    "Of plain text a poll answers what has changed: the prompt, what was typed, what came back.",
  );
  await call("exec", { command: "python3 -q", pty: true, background: true, env: { PYTHON_BASIC_REPL: "1" } });
  await pollUntil(/>>>/);
  await call("process", { action: "submit", data: "sum(range(10))" });
  await pollUntil(/45/);
  await call("process", { action: "paste", text: "def double(x):\n    return x * 2\n\ndouble(21)\n" });
  await pollUntil(/42/);
  await call("process", { action: "submit", data: "1 / 0" });
  await pollUntil(/ZeroDivisionError/);
  await keys("C-d");
  await pollUntil(/exited/);
  await call("process", { action: "log", limit: 6 });
}

async function recordProgress(): Promise<void> {
  const bar =
    "for i in $(seq 1 400); do printf '\\r[%-20s] %d%%' \"$(printf '#%.0s' $(seq 1 $((i/20))))\" $((i/4)); done; echo; echo finished";
  lines.push(
    "",
    "## A progress bar",
    "",
    "It drew itself 400 times. On a terminal and on a pipe alike one line is left of it.",
  );
  await call("exec", { command: bar, pty: true });
  await call("exec", { command: bar });
}

try {
  await recordEditor();
  await recordRepl();
  await recordProgress();
} finally {
  await session.close();
  await processes.close();
  rmSync(root, { recursive: true, force: true });
}
const head = [
  "# A terminal session",
  "",
  "Programs on a terminal, driven through `exec` and `process`, word for word as a model sees them. Written by",
  "`bench/record-terminal.ts` from a real session; only the name and the process ids are made up.",
  "",
];
writeFileSync(page, `${[...head, ...lines].join("\n")}\n`);
console.log(`${page}: ${lines.length} lines`);
