import { type AgentModel, openModel as openChatModel } from "@haft/chat";
import { scriptTurns, type Script, type Turn } from "../../../scripts/lib/scripted-model/script.ts";
import { startScriptedModel } from "../../../scripts/lib/scripted-model/scripted-model.ts";
import { type Mode, UsageError } from "./usage.ts";

/** Returns turns in order, possibly depending on results. */
const script =
  (turns: (answers: readonly string[]) => readonly Turn[]): Script =>
  (request) =>
    scriptTurns(turns(request.results.map(({ text }) => text)))(request);

function call(name: string, args: Readonly<Record<string, unknown>>, text?: string): Turn {
  return { calls: [{ name, arguments: args }], ...(text !== undefined && { text }) };
}

const TESTS = "node --test --test-reporter=spec";
const BUG = "  result.setUTCMonth(result.getUTCMonth() + months);\n";
const REPAIR = `${BUG}  // Where the month has no such day, day 0 of the month after it is its last one.
  if (result.getUTCDate() !== date.getUTCDate()) result.setUTCDate(0);
`;
const CAUSE = "Found it: when the month is too short, setUTCMonth runs over into the next one.";

/** Runs the tests, finds and repairs the cause, and runs them again. */
const repairs: readonly Turn[] = [
  call("read", { file_path: "package.json" }, "First, how are the tests run?"),
  call("exec", { command: TESTS }, "I run them."),
  call("read", { file_path: "test/invoice.test.js" }, "One fails. I read it."),
  call("read", { file_path: "src/invoice.js" }),
  call("read", { file_path: "src/calendar.js" }),
  call("edit", { file_path: "src/calendar.js", old_string: BUG, new_string: REPAIR }, CAUSE),
  call("exec", { command: TESTS }, "Do they pass now?"),
];

export const sandboxScript = script(() => [
  ...repairs,
  { text: "Repaired, without ever leaving the sandbox." },
]);

/** A server's printed address; only this may enter a command. */
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+[\w./?=&+%-]*/;
const MESSAGE = { channel: "team", text: "Due dates at the end of a month are right again." };
const CHANGELOG = `# Changelog

## Unreleased

- Terms in months end with the month when it is shorter: one month after 31 August is 30 September.
`;

/** Repairs the project, tries its server, writes the changelog, and notifies the team twice, like a real model. */
export const repairScript = script((answers) => {
  const [started = "", heard = ""] = answers.slice(repairs.length);
  const sessionId = /\(session ([\w-]+)/.exec(started)?.[1] ?? "none";
  const ask = `node -e "fetch('${ADDRESS.exec(heard)?.[0]}').then((r) => r.text()).then(console.log)"`;
  const server = { command: "node src/server.js", background: true };
  const poll = { action: "poll", sessionId, timeout: 30_000 };
  return [
    ...repairs,
    call("exec", server, "Now the server, in the background."),
    call("process", poll, "Where does it listen?"),
    call("exec", { command: ask }, "I ask it for a date that was wrong."),
    call("process", poll, "What did it write about that?"),
    call("process", { action: "kill", sessionId }, "That is all I wanted to know, so it can end."),
    call("write", { file_path: "CHANGELOG.md", content: CHANGELOG }, "Now the changelog."),
    call("notify", MESSAGE, "And the team should know."),
    call("notify", MESSAGE, "Did I tell the team?"),
    { text: "Repaired, noted in CHANGELOG.md, and the team knows." },
  ];
});

export const visitorScript = script(() => [
  call("read", { path: "README.md" }),
  call("write", { path: "README.md", content: "Cheap watches\n" }, "I have no write tool, but I try."),
  call("read", { path: "../neighbour/salaries.csv" }, "Then the other file."),
  call("exec", { command: "env" }, "And the command."),
  { text: "I may read README.md and nothing more: the other calls were refused." },
]);

/** Reads a file and then starts a program on request. */
export const talkScript = script(([, ran = ""]) => [
  call("read", { path: "src/server.js" }, "I look into it."),
  { text: "It serves the invoices over HTTP." },
  call("bash", { command: "node --version" }),
  { text: `Node says ${ran.trim()}.` },
]);

const SCRIPTS = { owner: repairScript, visitor: visitorScript, guest: sandboxScript, talker: talkScript };

/** The conversations' models; `guest` works in the sandbox. A live model has all conversations. */
export interface DemoModel extends AsyncDisposable, Record<keyof typeof SCRIPTS, AgentModel> {
  kind: "scripted" | "live";
  name: string;
}

/** Opens the environment's model or the scripted one; close it when done. */
export async function openModel(mode: Mode, env: NodeJS.ProcessEnv): Promise<DemoModel> {
  const name = mode === "offline" ? undefined : nameIn(env);
  if (name !== undefined) {
    const { model, where } = await openChatModel({ model: name }, env);
    const all = { owner: model, visitor: model, guest: model, talker: model };
    return { kind: "live", name: `${name} at ${where}`, ...all, async [Symbol.asyncDispose]() {} };
  }
  if (mode === "live")
    throw new UsageError(
      "--live needs OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY in the environment.",
    );
  const endpoint = await serveScripts(SCRIPTS);
  const open = async (who: keyof typeof SCRIPTS) =>
    (await openChatModel({ model: `openai/${who}`, baseUrl: endpoint.baseUrl }, {})).model;
  return {
    kind: "scripted",
    name: `a script, served at ${endpoint.baseUrl} (offline)`,
    owner: await open("owner"),
    visitor: await open("visitor"),
    guest: await open("guest"),
    talker: await open("talker"),
    [Symbol.asyncDispose]: endpoint[Symbol.asyncDispose],
  };
}

/** Serves `scripts` by model name on a free port of 127.0.0.1; other names are API errors. */
export async function serveScripts(scripts: Readonly<Record<string, Script>>) {
  const { url, [Symbol.asyncDispose]: close } = await startScriptedModel((request) => {
    const turn = Object.hasOwn(scripts, request.model) ? scripts[request.model] : undefined;
    if (turn !== undefined) return turn(request);
    throw new Error(`there is no model "${request.model}"; there are: ${Object.keys(scripts).join(", ")}.`);
  });
  return { baseUrl: `${url}/v1`, [Symbol.asyncDispose]: close };
}

function nameIn(env: NodeJS.ProcessEnv): string | undefined {
  const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL, ANTHROPIC_API_KEY, ANTHROPIC_MODEL } = env;
  if (OPENAI_BASE_URL && !OPENAI_MODEL)
    throw new UsageError("OPENAI_MODEL must name a model of OPENAI_BASE_URL.");
  if (OPENAI_API_KEY || OPENAI_BASE_URL) return `openai/${OPENAI_MODEL || "gpt-5-mini"}`;
  return ANTHROPIC_API_KEY ? `anthropic/${ANTHROPIC_MODEL || "claude-haiku-4-5"}` : undefined;
}
