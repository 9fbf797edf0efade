import type {
  ApprovalAnswer,
  ApprovalGrant,
  ApprovalRequestRecord,
  ContentBlock,
  GrantOffer,
} from "@haft/core";
import { redactSecrets, requireAnswer } from "@haft/core/internal";

/** Ids become file names, so they are nothing else: short, lower case, no dots and no slashes. */
const ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export function isId(value: unknown): value is string {
  return typeof value === "string" && ID.test(value);
}

/**
 * A request as it is written: without the arguments, which may hold what nobody else should read. What a person has to
 * see of them is in the preview. With the secret that an answer has to repeat: only who could read this may answer.
 */
export function requestText(request: ApprovalRequestRecord, secret: string): string {
  const { args: _, preview, offers, ...rest } = request;
  return JSON.stringify({
    secret,
    ...rest,
    reason: redactSecrets(rest.reason),
    ...(rest.noAlways === undefined ? {} : { noAlways: redactSecrets(rest.noAlways) }),
    ...(rest.noProgramGrant === undefined ? {} : { noProgramGrant: redactSecrets(rest.noProgramGrant) }),
    preview: preview.map((block) =>
      block.type === "text" ? { ...block, text: redactSecrets(block.text) } : block,
    ),
    offers: offers.map((offer) => ({ ...offer, summary: redactSecrets(offer.summary) })),
  });
}

/** A grant as it is written: its uses are counted behind it. */
export function grantText(grant: ApprovalGrant): string {
  const { used: _, lastUsedAt: _last, ...record } = grant;
  return JSON.stringify({ ...record, summary: redactSecrets(grant.summary) });
}

/** @throws Error saying what is wrong with it */
export function readRequest(text: string, id: string): ApprovalRequestRecord {
  const { secret, ...value } = readRecord(text);
  need(typeof secret === "string", "its secret is no text");
  need(value["approvalId"] === id, "its id is not its name");
  for (const key of ["toolCallId", "agentId", "sessionKey", "reason"]) needText(value, key);
  for (const key of ["noAlways", "noProgramGrant"]) if (key in value) needText(value, key);
  need(KINDS.includes(value["sessionKind"]), "it is of no kind of session");
  const tool = value["tool"];
  need(isRecord(tool) && Array.isArray(tool["effects"]), "it names no tool");
  for (const key of ["id", "name"]) needText(tool as Fields, key);
  need(isListOf(value["preview"], isBlock), "it shows nothing");
  need(isListOf(value["offers"], isOffer), "it has no offers");
  for (const key of ["requestedAt", "expiresAt"]) needTime(value, key);
  return { ...(value as unknown as ApprovalRequestRecord), args: undefined };
}

/** @throws Error saying what is wrong with it */
export function readGrant(text: string, id: string): Omit<ApprovalGrant, "used" | "lastUsedAt"> {
  const value = readRecord(text);
  need(value["id"] === id, "its id is not its name");
  for (const key of ["agentId", "sessionKey", "toolId", "key", "summary"]) needText(value, key);
  if ("by" in value) needText(value, "by");
  need(value["kind"] === "exact" || value["kind"] === "program", "it is of no kind");
  needTime(value, "createdAt");
  if ("expiresAt" in value) needTime(value, "expiresAt");
  return value as unknown as Omit<ApprovalGrant, "used" | "lastUsedAt">;
}

/** What an answer to a request has to repeat. @throws Error when it has none */
export function readSecret(text: string): string {
  const value = readRecord(text);
  needText(value, "secret");
  return value["secret"] as string;
}

/** An answer as it is written. */
export function answerText(answer: ApprovalAnswer, secret: string): string {
  return JSON.stringify({ secret, ...answer });
}

/** @throws Error saying what is wrong with it, also when it is of somebody who has not read the request */
export function readAnswer(text: string, secret: string): ApprovalAnswer {
  const value = readRecord(text);
  need(value["secret"] === secret, "it does not repeat the secret of the request");
  return requireAnswer(value);
}

type Fields = Record<string, unknown>;

const KINDS: readonly unknown[] = ["main", "group", "sandboxed"];

function readRecord(text: string): Fields {
  const value = parsed(text);
  need(isRecord(value), "it is no record");
  return value as Fields;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("it is damaged");
  }
}

function need(holds: boolean, problem: string): void {
  if (!holds) throw new Error(problem);
}

function needText(value: Fields, key: string): void {
  need(typeof value[key] === "string", `its ${key} is no text`);
}

function needTime(value: Fields, key: string): void {
  need(Number.isFinite(value[key]), `its ${key} is no time`);
}

function isListOf<T>(value: unknown, is: (entry: unknown) => entry is T): value is T[] {
  return Array.isArray(value) && value.every(is);
}

function isBlock(value: unknown): value is ContentBlock {
  if (!isRecord(value)) return false;
  return value["type"] === "text"
    ? typeof value["text"] === "string"
    : value["type"] === "image" && typeof value["data"] === "string" && typeof value["mimeType"] === "string";
}

function isOffer(value: unknown): value is GrantOffer {
  return (
    isRecord(value) &&
    (value["kind"] === "exact" || value["kind"] === "program") &&
    typeof value["key"] === "string" &&
    typeof value["summary"] === "string"
  );
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
