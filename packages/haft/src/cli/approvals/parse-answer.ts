import type { ApprovalAnswer, ApprovalDecision } from "@haft/core";
import type { GrantOffer } from "@haft/core/internal";
import { withoutUndefined, didYouMean, nearestNames } from "@haft/utils";
import { userInfo } from "node:os";
import { UsageError } from "../usage.ts";
import { parseSpan } from "./times.ts";

const DECISIONS: Readonly<Record<string, ApprovalDecision>> = {
  "allow-once": "allow-once",
  allow: "allow-once",
  once: "allow-once",
  yes: "allow-once",
  "allow-always": "allow-always",
  always: "allow-always",
  deny: "deny",
  no: "deny",
};
const KINDS: Readonly<Record<string, GrantOffer["kind"]>> = { exact: "exact", program: "program" };

export function parseAnswer(words: readonly string[], forText?: string): ApprovalAnswer {
  const [word, kindWord, ...rest] = words;
  if (word === undefined) throw new UsageError("The decision is missing: allow-once, allow-always or deny.");
  const decision = readWord(DECISIONS, word, "a decision");
  const kind = kindWord === undefined ? undefined : readWord(KINDS, kindWord, "a kind of grant");
  if (rest.length > 0)
    throw new UsageError(`${JSON.stringify(rest.join(" "))} is not expected after ${kindWord}.`);
  if (decision !== "allow-always" && (kind !== undefined || forText !== undefined)) {
    throw new UsageError(`${kind ?? "--for"} needs allow-always.`);
  }
  const forMs = forText === undefined ? undefined : parseSpan(forText);
  if (forText !== undefined && forMs === undefined) {
    throw new UsageError(`--for is a span like 30m, 8h or 7d; got "${forText}".`);
  }
  return withoutUndefined({ decision, grant: kind, forMs, by: getAnswererName() });
}

export function getAnswererName(): string {
  try {
    return `${userInfo().username} (command line)`;
  } catch {
    return "command line";
  }
}

function readWord<T>(words: Readonly<Record<string, T>>, word: string, what: string): T {
  const lower = word.toLowerCase();
  if (Object.hasOwn(words, lower)) return words[lower]!;
  const hint = didYouMean(nearestNames(lower, Object.keys(words)));
  const there = ` Choose from: ${[...new Set(Object.values(words))].join(", ")}.`;
  throw new UsageError(`"${word}" is not ${what}.${hint || there}`);
}
