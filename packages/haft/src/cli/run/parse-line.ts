import { type ApprovalAnswer, HaftError, withoutUndefined } from "@haft/core";
import { requireAnswer } from "@haft/core/internal";
import { parseApproveCommand, type CallRequest } from "@haft/core/kernel";

/** What one line of input asks for. */
export type Request =
  | { kind: "calls"; calls: CallRequest[] }
  | { kind: "control"; control: Control }
  | { kind: "broken"; message: string; id?: string };

export type Control =
  | { control: "abort"; id: string }
  | { control: "approve"; approvalId: string; answer: ApprovalAnswer }
  | { control: "ledger" }
  | { control: "tools" }
  | { control: "explain"; name: string; arguments: unknown };

/** Understands one JSON value: an assistant message, a call, a list of either, or a control line. */
export function parseRequest(value: unknown): Request {
  if (Array.isArray(value)) return parseList(value);
  if (!isRecord(value)) return broken(`expected an object, got ${value === null ? "null" : typeof value}.`);
  if ("control" in value) return parseControl(value);
  if ("tool_calls" in value) {
    const calls = value["tool_calls"];
    if (!Array.isArray(calls)) return broken("tool_calls is not a list.");
    return parseList(calls);
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
  const name = source["name"];
  if (typeof name !== "string" || name === "") {
    return 'a call needs a name. Lines are {"name", "arguments"}, a message with tool_calls, or {"control": …}.';
  }
  const other = OTHER_KEYS.find((key) => key in source);
  if (!("arguments" in source) && other !== undefined)
    return `the arguments go into "arguments", not "${other}".`;
  // What a rule is about must not be passed over.
  if ("sender" in source || "sender" in value) return "whose message it answers is told with --sender.";
  const id = idOf(value);
  if (id === undefined && value["id"] !== undefined && value["id"] !== null)
    return "the id of a call is a string.";
  return withoutUndefined({ name, arguments: source["arguments"], id });
}

/** Ids are strings; numbers stand for their digits. */
function idOf({ id }: Record<string, unknown>): string | undefined {
  return typeof id === "string" ? id : Number.isSafeInteger(id) ? String(id) : undefined;
}

function parseControl(value: Record<string, unknown>): Request {
  const { control, id } = value;
  switch (control) {
    case "ledger":
    case "tools":
      return { kind: "control", control: { control } };
    case "abort":
      if (typeof id !== "string")
        return broken('abort needs the id of a call: {"control":"abort","id":"…"}.');
      return { kind: "control", control: { control, id } };
    case "approve":
      return parseApproval(value);
    case "message":
      return parseMessage(value["text"]);
    case "explain": {
      const call = parseCall(isRecord(value["call"]) ? value["call"] : value);
      if (typeof call === "string") return broken(`explain: ${call}`);
      return { kind: "control", control: { control, name: call.name, arguments: call.arguments } };
    }
    default:
      return broken(
        `unknown control ${JSON.stringify(control)}; there are abort, approve, message, ledger, tools and explain.`,
      );
  }
}

function parseApproval({ approvalId, decision, grant, forMs, by }: Record<string, unknown>): Request {
  if (typeof approvalId !== "string")
    return broken("approve needs approvalId, as the pending answer gave it.");
  return understood(() => {
    const answer = requireAnswer({ decision, grant, forMs, by });
    return { kind: "control", control: { control: "approve", approvalId, answer } };
  });
}

/** What somebody wrote in a chat: commands in it are understood, and nothing else is a message for this program. */
function parseMessage(text: unknown): Request {
  if (typeof text !== "string")
    return broken('message needs a text: {"control":"message","text":"/approve …"}.');
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
