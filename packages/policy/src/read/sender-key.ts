import type { Sender, SessionFacts } from "@haft/core";
import { withoutUndefined, nearestNames } from "@haft/utils";
import type { PatternProblem } from "../patterns/pattern-problem.ts";

export interface SenderKey {
  readonly channel?: string;
  /** `anyone`: every known person. `system`: the host started the turn. */
  readonly kind: "id" | "phone" | "username" | "name" | "anyone" | "system" | "unknown";
  readonly value: string;
}

export const senderFields = ["id", "phone", "username", "name"] as const;
const words = ["*", "system", "unknown"];

/** From specific to general. */
const order: readonly SenderKey["kind"][] = ["id", "phone", "username", "anyone"];

export function parseSenderKey(text: string): SenderKey | PatternProblem {
  if (text === "*") return { kind: "anyone", value: "" };
  if (text === "system" || text === "unknown") return { kind: text, value: "" };
  const [, channel, prefix, rest = ""] = /^(?:([^/:]+)\/)?([a-z]+):(.*)$/s.exec(text) ?? [];
  const field = senderFields.find((known) => known === prefix);
  if (field === undefined) {
    const nearest = [
      ...nearestNames(text, words),
      ...(prefix === undefined ? [] : nearestNames(prefix, senderFields).map((near) => `${near}:${rest}`)),
    ];
    const message = `${JSON.stringify(text)} is not a sender; write id:…, phone:…, username:… or name:…, optionally after channel/, or ${words.join(", ")}.`;
    return { message, nearest };
  }
  const value = canonical(field, rest);
  if (value === "" || rest !== rest.trim()) {
    return {
      message: `${JSON.stringify(text)} does not say which ${field}${rest === rest.trim() ? "" : " (it is padded with spaces)"}.`,
    };
  }
  if (value.includes("*")) {
    const message = `${JSON.stringify(text)}: a ${field} is compared as it is, without wildcards; "*" alone is every known person.`;
    return { message, nearest: ["*"] };
  }
  return withoutUndefined({ channel, kind: field, value });
}

export function validSenderKey(text: string): SenderKey[] {
  const key = parseSenderKey(text);
  return "message" in key ? [] : [key];
}

export function formatSenderKey({ channel, kind, value }: SenderKey): string {
  if (kind === "anyone") return "*";
  return kind === "system" || kind === "unknown"
    ? kind
    : `${channel === undefined ? "" : `${channel}/`}${kind}:${value}`;
}

type Who = Pick<SessionFacts, "sender" | "messageChannel">;

function isSender(key: SenderKey, { sender, messageChannel }: Who): boolean {
  if (key.channel !== undefined && key.channel !== messageChannel) return false;
  if (key.kind === "system") return sender === "system";
  if (sender === "system") return false;
  const known = sender !== undefined && senderFields.some((field) => fieldOf(sender, field) !== "");
  if (key.kind === "unknown") return !known;
  if (!known) return false;
  return key.kind === "anyone" || fieldOf(sender, key.kind) === key.value;
}

/** For lists that extend rights. Display names and unknown senders never count: anyone can choose a name. */
export function isListedSender(key: SenderKey, who: Who): boolean {
  if (key.kind === "name" || key.kind === "unknown") return false;
  const { sender } = who;
  if (key.kind === "anyone" && (typeof sender !== "object" || !isIdentified(sender))) return false;
  return isSender(key, who);
}

function isIdentified(sender: Sender): boolean {
  return senderFields.some((field) => field !== "name" && /[^\s+]/.test(fieldOf(sender, field)));
}

/** Returns the most specific key of a sender and the keys of display names. A display name cannot replace other rules. */
export function keysFor<Key extends SenderKey>(keys: readonly Key[], who: Who): Key[] {
  const fitting = keys.filter((key) => isSender(key, who));
  const [best] = fitting.filter(({ kind }) => kind !== "name").toSorted((a, b) => rankOf(a) - rankOf(b));
  const names = fitting.filter(({ kind }) => kind === "name");
  return best === undefined ? names : [best, ...names];
}

function rankOf({ kind, channel }: SenderKey): number {
  return order.indexOf(kind) * 2 + (channel === undefined ? 1 : 0);
}

function fieldOf(sender: Sender, field: (typeof senderFields)[number]): string {
  return canonical(field, sender[field] ?? "");
}

function canonical(field: (typeof senderFields)[number], value: string): string {
  if (field === "phone") return value.replaceAll(/[^+\d]/g, "");
  return field === "username" ? value.replace(/^@/, "").toLowerCase() : value;
}
