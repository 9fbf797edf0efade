import type { CallRecord } from "@haft/core/kernel";
import { endOfCall } from "./end-of-call.ts";
import { moment, took } from "./format-times.ts";

/** What is known of a call beside what it was given and answered: names with texts. */
export function factsOfCall(call: CallRecord): (readonly [name: string, text: string])[] {
  const { decision, startedAt, endedAt, createdAt, grantIds, outcome } = call;
  const rows: (readonly [string, string | undefined | false])[] = [
    ["call", call.toolCallId],
    ["answered as", call.answeredAs],
    ["tool", call.tool && call.tool.id !== call.toolName && call.tool.id],
    ["outcome", `${endOfCall(call)}${call.code === undefined ? "" : ` (${call.code})`}`],
    ["heard of", moment(createdAt)],
    ["waited", startedAt === undefined ? undefined : took(Math.max(0, startedAt - createdAt))],
    [
      "ran",
      startedAt === undefined || endedAt === undefined ? undefined : took(Math.max(0, endedAt - startedAt)),
    ],
    ["receipt", call.receipt && (RECEIPTS[call.receipt] ?? call.receipt)],
    [
      "decision",
      decision ? `${decision.effect}: ${decision.reason}` : outcome && "cannot be said: it was not kept",
    ],
    ["by the rule", decision?.rule && ruleOf(decision)],
    ["sender", call.sender && (call.sender === "system" ? "the host itself" : JSON.stringify(call.sender))],
    ["decided by", call.decidedBy],
    ["approval", call.approvalId],
    ["let through by", grantIds && grantIds.length > 0 && `what was allowed before (${grantIds.join(", ")})`],
    ["made by", call.parentCallId && `the call ${call.parentCallId}`],
    ["same as", call.duplicateOf && `the call ${call.duplicateOf}`],
    ["contacted", call.hosts?.join(", ")],
    ["resumed", call.resumed && "it ran after a resume, by an answer that was given meanwhile"],
  ];
  return rows.flatMap(([name, text]) =>
    text === undefined || text === false || text === "" ? [] : [[name, text]],
  );
}

const RECEIPTS: Readonly<Record<string, string>> = {
  none: "none: it changed nothing",
  committed: "committed: what it changed is done",
  unknown: "unknown: nobody can say what it changed",
};

function ruleOf({ layer, rule, source }: NonNullable<CallRecord["decision"]>): string {
  const place = [layer, source].filter((part) => part !== undefined).join(", ");
  return place === "" ? (rule ?? "") : `${rule} (${place})`;
}
