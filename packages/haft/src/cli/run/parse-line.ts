import { type ApprovalAnswer, HaftError, withoutUndefined } from "@haft/core";
import { checkValue, requireAnswer } from "@haft/core/internal";
import { type CallRequest, parseApproveCommand } from "@haft/core/kernel";

/** What one line of input asks for. */
export type Request =
  | { kind: "calls"; calls: CallRequest[] }
  | { kind: "control"; control: Control }
  | { kind: "broken"; message: string; id?: string };

export type Control =
  | { control: "abort"; id: string }
  | { control: "approve"; approvalId: string; answer: ApprovalAnswer }
  | { control: "ledger"; wrap: boolean }
  | { control: "approvals" | "run" }
  | { control: "reload" }
  | { control: "tools" }
  | { control: "sender"; sender: unknown }
  | { control: "explain"; name: string; arguments: unknown };

/** Understands one JSON value: an assistant message, a call, a list of either, or a control line. */
export function parseRequest(value: unknown): Request {
  if (Array.isArray(value)) return parseList(value);
  if (!isRecord(value)) return broken(`expected an object, got ${value === null ? "null" : typeof value}.`);
  if ("control" in value) return parseControl(value);
  if ("tool_calls" in value) {
    if (!fits(MESSAGE, value)) return broken("tool_calls is not a list.");
    return parseList(value["tool_calls"] as unknown[]);
  }
  const call = parseCall(isRecord(value["tool_call"]) ? value["tool_call"] : value);
  if (typeof call !== "string") return { kind: "calls", calls: [call] };
  const id = idOf(value);
  return id === undefined ? broken(call) : { ...broken(call), id };
}

function parseList(values: readonly unknown[]): Request {
  const calls: CallRequest[] = [];
  for (const [index, value] of values.entries()) {
    if (isRecord(value) && "tool_calls" in value) {
      const nested = parseRequest(value);
      if (nested.kind !== "calls") return nested;
      calls.push(...nested.calls);
      continue;
    }
    const call = isRecord(value) ? parseCall(value) : "it is not an object.";
    if (typeof call === "string") return broken(`call ${index + 1}: ${call}`);
    calls.push(call);
  }
  return { kind: "calls", calls };
}

/** Keys people write for `arguments`. */
const OTHER_KEYS = ["args", "input", "params", "parameters"];

/** A call of Haft's own shape or an entry of an OpenAI `tool_calls` list. */
function parseCall(value: Record<string, unknown>): CallRequest | string {
  const source = isRecord(value["function"]) ? value["function"] : value;
  if (!fits(CALL, source)) {
    return 'a call needs a name. Lines are {"name", "arguments"}, a message with tool_calls, or {"control": …}.';
  }
  const other = OTHER_KEYS.find((key) => key in source);
  if (!("arguments" in source) && other !== undefined)
    return `the arguments go into "arguments", not "${other}".`;
  // What a rule is about must not be passed over.
  if ("sender" in source || "sender" in value)
    return 'whose message it answers is told with --sender, or by a line {"control":"sender"} before it.';
  if (!fits(CALL_IDENTITY, value)) return "the id of a call is a string.";
  return withoutUndefined({
    name: source["name"] as string,
    arguments: source["arguments"],
    id: idOf(value),
  });
}

/** Ids are strings; numbers stand for their digits. */
function idOf({ id }: Record<string, unknown>): string | undefined {
  return typeof id === "string" ? id : Number.isSafeInteger(id) ? String(id) : undefined;
}

type ControlName = keyof typeof CONTROLS;

function parseControl(value: Record<string, unknown>): Request {
  const { control, id, approvalId, text } = value as Partial<Record<string, string>>;
  if (!isControlName(control)) {
    const names = Object.keys(CONTROLS);
    const all = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
    return broken(`unknown control ${JSON.stringify(control)}; there are ${all}.`);
  }
  const problem = problemOf(control, value);
  if (problem !== undefined) return broken(problem);
  switch (control) {
    case "ledger":
      return { kind: "control", control: { control, wrap: value["wrap"] === true } };
    case "approvals":
    case "reload":
    case "run":
    case "tools":
      return { kind: "control", control: { control } };
    case "abort":
      return { kind: "control", control: { control, id: id! } };
    case "approve":
      return understood(() => {
        const { decision, grant, forMs, by } = value;
        const answer = requireAnswer({ decision, grant, forMs, by });
        return { kind: "control", control: { control, approvalId: approvalId!, answer } };
      });
    case "message":
      return parseMessage(text!);
    case "sender":
      return { kind: "control", control: { control, sender: value["sender"] } };
    case "explain": {
      const call = parseCall(isRecord(value["call"]) ? value["call"] : value);
      if (typeof call === "string") return broken(`explain: ${call}`);
      return { kind: "control", control: { control, name: call.name, arguments: call.arguments } };
    }
  }
}

function isControlName(name: unknown): name is ControlName {
  return typeof name === "string" && Object.hasOwn(CONTROLS, name);
}

/** What is wrong with a control line, by the schema of its kind. */
function problemOf(control: ControlName, value: unknown): string | undefined {
  const schema: ControlSchema = CONTROLS[control];
  const [issue] = checkValue(schema, value, 1);
  if (issue === undefined) return undefined;
  const name = String(issue.path[0]);
  return `${control} needs ${schema.properties?.[name]?.description ?? name}: ${schema.examples?.[0]}.`;
}

/** What somebody wrote in a chat: commands in it are understood, and nothing else is a message for this program. */
function parseMessage(text: string): Request {
  return understood(() => {
    const command = parseApproveCommand(text);
    if (command === undefined)
      return broken("the message is no command; there is /approve ID allow-once|allow-always|deny.");
    return { kind: "control", control: { control: "approve", ...command } };
  });
}

function understood(parse: () => Request): Request {
  try {
    return parse();
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    return broken(thrown.fix === undefined ? thrown.message : `${thrown.message} ${thrown.fix}`);
  }
}

function broken(message: string): Extract<Request, { kind: "broken" }> {
  return { kind: "broken", message };
}

function fits(schema: object, value: unknown): boolean {
  return checkValue(schema, value, 1).length === 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// The lines of `haft run` that ask for something else than a call, as the help and the guide show them.

const CALL_ID = { type: "string", description: "the id of a call" };

/** What a control line of one kind has. */
interface ControlSchema {
  type: "object";
  description: string;
  required?: readonly string[];
  properties?: Readonly<Record<string, { type?: string; description: string }>>;
  /** Whole lines, for messages. */
  examples?: readonly string[];
}

/** By the word behind `control`. Further members are left alone: a later version may know them. */
const CONTROLS = {
  abort: {
    type: "object",
    description: "Stops a running call, or one that has not begun.",
    required: ["id"],
    properties: { id: CALL_ID },
    examples: ['{"control":"abort","id":"…"}'],
  },
  approve: {
    type: "object",
    description: "Decides about a call that waits; beside decision perhaps grant, forMs and by.",
    required: ["approvalId"],
    properties: { approvalId: { type: "string", description: "approvalId, as the pending answer gave it" } },
    examples: ['{"control":"approve","approvalId":"…","decision":"allow-once"}'],
  },
  message: {
    type: "object",
    description: "What somebody wrote in a chat: /approve in it is understood.",
    required: ["text"],
    properties: { text: { type: "string", description: "a text" } },
    examples: ['{"control":"message","text":"/approve …"}'],
  },
  ledger: {
    type: "object",
    description: "Every call so far.",
    properties: { wrap: { type: "boolean", description: "wrap, true or false" } },
    examples: ['{"control":"ledger","wrap":true}'],
  },
  approvals: { type: "object", description: "Calls that wait for a decision." },
  run: { type: "object", description: "The run that calls are recorded in." },
  tools: { type: "object", description: "What is visible, and what is not and why." },
  reload: {
    type: "object",
    description: "Reads configuration and policy files anew, for calls that have not begun.",
  },
  sender: {
    type: "object",
    description: "Whose message the calls of later lines answer; with null, that of --sender.",
    properties: { sender: { description: 'an object with id, phone, username or name, "system", or null' } },
    examples: ['{"control":"sender","sender":{"id":"…"}}'],
  },
  explain: {
    type: "object",
    description: "Which rule decides about a call: its name and arguments, or a call.",
  },
} satisfies Record<string, ControlSchema>;

/** A call, or the `function` of one in an OpenAI message. */
const CALL = {
  type: "object",
  description: "A call of a tool.",
  required: ["name"],
  properties: {
    name: { type: "string", minLength: 1, description: "The name of the tool." },
    arguments: { description: "An object, or its JSON text." },
  },
};

/** Of a call, not of its `function`: numbers stand for their digits, null for none. */
const CALL_IDENTITY = {
  type: "object",
  properties: {
    id: {
      anyOf: [
        { type: "string" },
        { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
        { type: "null" },
      ],
      description: "Names the answer.",
    },
  },
};

/** A message of an assistant. */
const MESSAGE = {
  type: "object",
  required: ["tool_calls"],
  properties: { tool_calls: { type: "array", description: "Calls, one after the other." } },
};
