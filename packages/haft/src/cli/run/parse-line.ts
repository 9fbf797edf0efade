import { type ApprovalAnswer, HaftError } from "@haft/core";
import { requireAnswer } from "@haft/core/internal";
import { type CallRequest, parseApproveCommand } from "@haft/core/kernel";
import { withoutUndefined, isObject } from "@haft/utils";

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

export function parseRequest(value: unknown): Request {
  if (Array.isArray(value)) return parseList(value);
  if (!isObject(value)) return broken(`expected an object, got ${value === null ? "null" : typeof value}.`);
  if ("control" in value) return parseControl(value);
  const { tool_calls: calls } = value;
  if ("tool_calls" in value)
    return Array.isArray(calls) ? parseList(calls) : broken("tool_calls is not a list.");
  const call = parseCall(unwrap(value));
  if (typeof call !== "string") return { kind: "calls", calls: [call] };
  const id = idOf(value);
  return id === undefined ? broken(call) : { ...broken(call), id };
}

function parseList(values: readonly unknown[]): Request {
  const calls: CallRequest[] = [];
  for (const [index, value] of values.entries()) {
    if (isObject(value) && "tool_calls" in value) {
      const nested = parseRequest(value);
      if (nested.kind !== "calls") return nested;
      calls.push(...nested.calls);
      continue;
    }
    const call = isObject(value) ? parseCall(unwrap(value)) : "it is not an object.";
    if (typeof call === "string") return broken(`call ${index + 1}: ${call}`);
    calls.push(call);
  }
  return { kind: "calls", calls };
}

function unwrap(value: Record<string, unknown>): Record<string, unknown> {
  const { tool_call: one } = value;
  return isObject(one) ? one : value;
}

const OTHER_KEYS = ["args", "input", "params", "parameters"];

/** Accepts Haft's calls or OpenAI's `tool_calls`; a string is a problem. */
function parseCall(value: Record<string, unknown>): CallRequest | string {
  const source = isObject(value["function"]) ? value["function"] : value;
  const { name, arguments: args } = source;
  if (typeof name !== "string" || name === "")
    return 'a call needs a name. Lines are {"name", "arguments"}, a message with tool_calls, or {"control": …}.';
  const other = OTHER_KEYS.find((key) => key in source);
  if (!("arguments" in source) && other !== undefined)
    return `the arguments go into "arguments", not "${other}".`;
  // Rules can depend on the sender.
  if ("sender" in source || "sender" in value)
    return 'the sender is set with --sender, or by a line {"control":"sender"} before the call.';
  const id = idOf(value);
  if (id === undefined && value["id"] !== undefined && value["id"] !== null)
    return "the id of a call is a string.";
  return withoutUndefined({ name, arguments: args, id });
}

function idOf({ id }: Record<string, unknown>): string | undefined {
  return typeof id === "string" ? id : Number.isSafeInteger(id) ? String(id) : undefined;
}

/** Ignores unlisted members of later versions, but not in answers: a misspelled `forMs` would grant without an end. */
interface Needed {
  member: string;
  is: (value: unknown) => boolean;
  what: string;
  example: string;
}

const isText = (value: unknown): value is string => typeof value === "string";

const CONTROLS: Readonly<Record<string, Needed | undefined>> = {
  abort: {
    member: "id",
    is: isText,
    what: "the id of a call",
    example: '{"control":"abort","id":"…"}',
  },
  approve: {
    member: "approvalId",
    is: isText,
    what: "approvalId, as the pending answer gave it",
    example: '{"control":"approve","approvalId":"…","decision":"allow-once"}',
  },
  message: {
    member: "text",
    is: isText,
    what: "a text",
    example: '{"control":"message","text":"/approve …"}',
  },
  ledger: {
    member: "wrap",
    is: (value) => value === undefined || typeof value === "boolean",
    what: "wrap, true or false",
    example: '{"control":"ledger","wrap":true}',
  },
  approvals: undefined,
  run: undefined,
  tools: undefined,
  reload: undefined,
  sender: undefined,
  explain: undefined,
};

function parseControl(value: Record<string, unknown>): Request {
  const { control } = value;
  if (!isText(control) || !Object.hasOwn(CONTROLS, control)) {
    const names = Object.keys(CONTROLS);
    const all = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
    return broken(`unknown control ${JSON.stringify(control)}; there are ${all}.`);
  }
  const needed = CONTROLS[control];
  if (needed !== undefined && !needed.is(value[needed.member]))
    return broken(`${control} needs ${needed.what}: ${needed.example}.`);
  const { id, approvalId, text } = value as Record<string, string>;
  switch (control) {
    case "ledger":
      return { kind: "control", control: { control, wrap: value["wrap"] === true } };
    case "abort":
      return { kind: "control", control: { control, id: id! } };
    case "approve":
      return understood(() => {
        const { control: _control, approvalId: _id, ...answer } = value;
        return {
          kind: "control",
          control: { control, approvalId: approvalId!, answer: requireAnswer(answer) },
        };
      });
    case "message":
      return understood(() => {
        const command = parseApproveCommand(text!);
        return command === undefined
          ? broken("the message is not a command; there is /approve ID allow-once|allow-always|deny.")
          : { kind: "control", control: { control: "approve", ...command } };
      });
    case "sender":
      return { kind: "control", control: { control, sender: value["sender"] } };
    case "explain": {
      const call = parseCall(isObject(value["call"]) ? value["call"] : value);
      if (typeof call === "string") return broken(`explain: ${call}`);
      return { kind: "control", control: { control, name: call.name, arguments: call.arguments } };
    }
    default:
      return { kind: "control", control: { control: control as "approvals" | "run" | "reload" | "tools" } };
  }
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
