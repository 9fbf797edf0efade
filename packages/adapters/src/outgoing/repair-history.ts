import { type ContentBlock, text } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { adapterError } from "../errors.ts";
import { CallIds } from "./call-ids.ts";
import type { AnsweredCall } from "./turn.ts";

export interface EarlierCall {
  id: unknown;
  name: string;
}

export interface PastResult extends EarlierCall {
  original: unknown;
}

/** An existing answer with the id of its call, or a generated answer. */
export interface Slot {
  id: string | undefined;
  name: string;
  original?: unknown;
  generated?: AnsweredCall;
}

export interface HistoryFormat<Message> {
  ids?: RegExp;
  idsAreOptional?: boolean;
  calls: (message: Message) => EarlierCall[];
  withIds: (message: Message, ids: readonly (string | undefined)[]) => Message;
  results: (message: Message) => PastResult[];
  /** Returns `undefined` for a message with only answers. */
  withoutResults: (message: Message) => Message | undefined;
  answers: (slots: readonly Slot[]) => Message[];
  /** Converts answers without a call to a message for the model. */
  orphans: (results: readonly PastResult[]) => Message;
}

/**
 * Each call gets a unique id and one answer directly after it, in the order of the calls. An answer without a call becomes a text; a call
 * without an answer gets the result in the session's ledger, or an explanation. Correct messages stay unchanged.
 *
 * @throws `INVALID_ARGUMENTS` unless `messages` is a list
 */
export async function repairHistory<Message>(
  session: Session,
  words: HistoryFormat<Message>,
  messages: readonly Message[],
): Promise<Message[]> {
  requireList(messages);
  const ids = new CallIds(words.ids);
  const open = messages.map((message) => words.results(message));
  const mended: Message[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]!;
    const calls = words.calls(message);
    if (calls.length === 0) {
      mended.push(...withoutCalls(words, message, open[at]!));
      continue;
    }
    const own = calls.map(({ id }) => (words.idsAreOptional && id === undefined ? undefined : ids.take(id)));
    const end = endOfAnswers(words, messages, at);
    const untouched = messages.slice(at + 1, end).flatMap((each) => words.results(each));
    if (untouched.length === open.slice(at + 1, end).flat().length && isRight(calls, own, untouched)) {
      mended.push(...messages.slice(at, end));
      at = end - 1;
      continue;
    }
    const found = takeAnswers(words, messages, open, at, calls);
    const slots: Slot[] = [];
    for (const [index, { id: before, name }] of calls.entries()) {
      const [id, result] = [own[index], found[index]];
      const made =
        result === undefined ? { id, name, ...(await whatBecame(session, before, name)) } : undefined;
      slots.push({ id, name, ...(result ? { original: result.original } : { generated: made! }) });
    }
    const isSame = calls.every(({ id }, index) => id === own[index]);
    mended.push(isSame ? message : words.withIds(message, own), ...words.answers(slots));
  }
  return mended;
}

/** Converts a message without calls. */
function withoutCalls<Message>(
  words: HistoryFormat<Message>,
  message: Message,
  left: readonly PastResult[],
): Message[] {
  if (words.results(message).length === 0) return [message];
  const rest = words.withoutResults(message);
  return [...(left.length === 0 ? [] : [words.orphans(left)]), ...(rest === undefined ? [] : [rest])];
}

function endOfAnswers<Message>(
  words: HistoryFormat<Message>,
  messages: readonly Message[],
  at: number,
): number {
  let end = at + 1;
  while (end < messages.length && words.calls(messages[end]!).length === 0) {
    if (words.results(messages[end]!).length === 0) break;
    end++;
  }
  return end;
}

function isRight(
  calls: readonly EarlierCall[],
  own: readonly unknown[],
  results: readonly PastResult[],
): boolean {
  return (
    results.length === calls.length &&
    calls.every(({ id, name }, index) => {
      const result = results[index]!;
      return id === own[index] && result.id === id && (id !== undefined || result.name === name);
    })
  );
}

/** Returns the answers to the calls of one message, up to the next use of their ids. Each is taken once. */
function takeAnswers<Message>(
  words: HistoryFormat<Message>,
  messages: readonly Message[],
  open: PastResult[][],
  at: number,
  calls: readonly EarlierCall[],
): (PastResult | undefined)[] {
  const found: (PastResult | undefined)[] = calls.map(() => undefined);
  const take = (from: number, fits: (result: PastResult, call: EarlierCall) => boolean) => {
    for (const [index, call] of calls.entries()) {
      if (found[index] !== undefined) continue;
      const position = open[from]!.findIndex((result) => fits(result, call));
      if (position >= 0) [found[index]] = open[from]!.splice(position, 1);
    }
  };
  const used = new Set<unknown>();
  for (let from = at + 1; from < messages.length; from++) {
    const later = words.calls(messages[from]!);
    take(from, (result, { id }) => isId(id) && result.id === id && !used.has(id));
    // Without an id, only an answer before the next call belongs to the call.
    if (used.size === 0 && later.length === 0)
      take(from, (result, { name }) => !isId(result.id) && (result.name === name || result.name === ""));
    for (const { id } of later) used.add(id);
    if (later.length > 0 && !later.some(({ id }) => isId(id))) break;
  }
  return found;
}

function isId(id: unknown): boolean {
  return typeof id === "string" && id !== "";
}

/** @throws `INVALID_ARGUMENTS` */
export function requireList(messages: unknown): void {
  if (!Array.isArray(messages))
    throw adapterError("INVALID_ARGUMENTS", `A conversation is a list of messages; got ${typeof messages}.`);
}

/** Returns the ledger's result of a call without an answer. */
async function whatBecame(
  session: Session,
  id: unknown,
  name: string,
): Promise<Pick<AnsweredCall, "content" | "isError">> {
  const entry = session.ledger().findLast(({ toolCallId, answeredAs = toolCallId }) => answeredAs === id);
  if (entry === undefined)
    return error(
      `There is no result: the ledger of this session has no such call of ${name || "a tool"}. It was not made, or not here.`,
    );
  const { status, outcome, result, toolCallId } = entry;
  if (status !== "completed" && status !== "failed")
    return error("There is no result yet: the call waits, or runs.");
  const content =
    contentOf(result) ?? contentOf((await session.findRecord(toolCallId).catch(() => undefined))?.result);
  if (content !== undefined) return { content, isError: outcome !== "ok" };
  return error(`The call has ended (${outcome ?? status}), and its result was not kept.`);
}

function contentOf(result: object | undefined): readonly ContentBlock[] | undefined {
  if (result === undefined) return undefined;
  if ("content" in result) return result.content as readonly ContentBlock[];
  return "head" in result ? [text(`${String(result.head)}\n[The rest was not kept.]`)] : undefined;
}

function error(said: string): Pick<AnsweredCall, "content" | "isError"> {
  return { content: [text(said)], isError: true };
}
