import type { ChatMessage, ChatRequest } from "../../../../scripts/lib/scripted-model/chat-completion.ts";
import type { Turn } from "../../../../scripts/lib/scripted-model/script.ts";

/** A call the model made and what it was told. */
export interface Exchange {
  name: string;
  /** The tool's answer, as the model reads it. */
  answer: string;
  /** The answer says that the call did not do what was asked. */
  failed: boolean;
}

/** How an answer begins when the call did not do what was asked. */
const FAILURE = /^(?:Error|Blocked|Cancelled|Waiting for approval)\b/;

/** Everything a script goes by: the task, and what really came back from each call. */
export function readConversation({ messages }: ChatRequest): { task: string; exchanges: Exchange[] } {
  const answers = new Map(messages.map((message) => [message.tool_call_id, textOf(message)]));
  const calls = messages.flatMap((message) => message.tool_calls ?? []);
  const exchanges = calls.map(({ id, function: { name } }): Exchange => {
    const answer = answers.get(id) ?? "";
    return { name, answer, failed: FAILURE.test(answer) };
  });
  const task = messages.findLast(({ role }) => role === "user");
  return { task: task ? textOf(task) : "", exchanges };
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("");
}

function call(name: string, args: Readonly<Record<string, unknown>>, text?: string): Turn {
  return { calls: [{ name, arguments: args }], ...(text !== undefined && { text }) };
}

const TESTS = "node --test --test-reporter=spec";
const BUG = "  result.setUTCMonth(result.getUTCMonth() + months);\n";
const REPAIR = `${BUG}  // Where the month has no such day, day 0 of the month after it is its last one.
  if (result.getUTCDate() !== date.getUTCDate()) result.setUTCDate(0);
`;
const CAUSE = "Found it: when the month is too short, setUTCMonth runs over into the next one.";

/** Runs the tests, reads from the one that fails to the cause, repairs that, and runs them again. */
const repairs: readonly Turn[] = [
  call("read", { file_path: "package.json" }, "First, how are the tests run?"),
  call("exec", { command: TESTS }, "I run them."),
  call("read", { file_path: "test/invoice.test.js" }, "One fails. I read it."),
  call("read", { file_path: "src/invoice.js" }),
  call("read", { file_path: "src/calendar.js" }),
  call("edit", { file_path: "src/calendar.js", old_string: BUG, new_string: REPAIR }, CAUSE),
  call("exec", { command: TESTS }, "Do they pass now?"),
];

/** `undefined` once the project is repaired. */
function repair(exchanges: readonly Exchange[]): Turn | undefined {
  const last = exchanges.at(-1);
  if (last?.failed && last.name !== "notify")
    return { text: `I stop here, because ${last.name} failed: ${last.answer.slice(0, 120)}` };
  const again = exchanges[repairs.length - 1];
  if (again !== undefined && /\(Command exited with code /.test(again.answer))
    return { text: "The tests still fail." };
  return repairs[exchanges.length];
}

/** A model that repairs the project in a sandbox. */
export function sandboxScript(request: ChatRequest): Turn {
  const { exchanges } = readConversation(request);
  return repair(exchanges) ?? { text: "Repaired, without ever leaving the sandbox." };
}

/** After so many answers without an address there will be none. */
const MAX_POLLS = 3;
/** An address as servers print it. It goes into a command, so nothing else may be in it. */
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+[\w./?=&+%-]*/;

/** A model that repairs the project, tries its server, writes the changelog, and tells the team twice, as models do. */
export function repairScript(request: ChatRequest): Turn {
  const { exchanges } = readConversation(request);
  const turn = repair(exchanges);
  if (turn !== undefined) return turn;
  const [started, ...later] = exchanges.slice(repairs.length);
  if (started === undefined)
    return call(
      "exec",
      { command: "node src/server.js", background: true },
      "Now the server, in the background.",
    );
  const sessionId = /\(session ([\w-]+)/.exec(started.answer)?.[1];
  if (sessionId === undefined) return { text: `The server did not start: ${started.answer.slice(0, 120)}` };
  const poll = (text: string) => call("process", { action: "poll", sessionId, timeout: 5_000 }, text);
  const heard = later.findIndex(({ answer }) => ADDRESS.test(answer));
  if (heard < 0)
    return later.length < MAX_POLLS
      ? poll("Where does it listen?")
      : { text: "The server does not say where it listens." };
  const address = ADDRESS.exec(later[heard]!.answer)![0];
  const ask = `node -e "fetch('${address}').then((r) => r.text()).then(console.log)"`;
  const message = {
    channel: "team",
    text: "Due dates at the end of a month are right again (src/calendar.js).",
  };
  const content =
    "# Changelog\n\n## Unreleased\n\n- Terms in months end with the month when it is shorter: one month after " +
    "31 August is 30 September.\n";
  const rest: readonly Turn[] = [
    call("exec", { command: ask }, "I ask it for a date that was wrong."),
    poll("What did it write about that?"),
    call("process", { action: "kill", sessionId }, "That is all I wanted to know, so it can end."),
    call("write", { file_path: "CHANGELOG.md", content }, "Now the changelog."),
    call("notify", message, "And the team should know."),
    call("notify", message, "Did I tell the team?"),
  ];
  const stopped = later.at(-1)?.failed
    ? " The second message was stopped, which is fine: they have the first."
    : "";
  return (
    rest[later.length - heard - 1] ?? {
      text: `Repaired, noted in CHANGELOG.md, and the team knows.${stopped}`,
    }
  );
}

/** A model that does what a stranger in a group asks, without thinking, and reports what it was told. */
export function visitorScript(request: ChatRequest): Turn {
  const { task, exchanges } = readConversation(request);
  const [path = "", outside = "", command = ""] = quotedIn(task);
  const steps = [
    call("read", { path }),
    call(
      "write",
      { path, content: "Cheap watches: watches.example\n" },
      "I was not given a write tool. I try all the same.",
    ),
    call("read", { path: outside }, "Then the other file."),
    call("exec", { command }, "And the command."),
  ];
  const refused = exchanges.filter(({ failed }) => failed).length;
  const text = `I may read ${path} and nothing more: ${refused} of ${exchanges.length} calls were refused.`;
  return steps[exchanges.length] ?? { text };
}

/** A model that looks into a file it is asked about, and then, told to, starts a program. */
export function talkScript(request: ChatRequest): Turn {
  const { task, exchanges } = readConversation(request);
  const [path, command] = quotedIn(task);
  const ran = exchanges.findLast(({ name }) => name === "bash");
  if (command !== undefined && ran === undefined) return call("bash", { command });
  if (ran !== undefined)
    return {
      text: ran.failed ? `I was not allowed to: ${ran.answer}` : `Node says ${ran.answer.trim()}.`,
    };
  const read = exchanges.findLast(({ name }) => name === "read");
  if (read === undefined) return call("read", { path }, "I look into it.");
  return { text: `It has ${read.answer.split("\n").length} lines, and serves the invoices over HTTP.` };
}

function quotedIn(task: string): string[] {
  return Array.from(task.matchAll(/`([^`]+)`/g), ([, quoted]) => quoted!);
}
