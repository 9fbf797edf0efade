import { maskSecrets } from "@haft/core/internal/records";
import type { CallRecord } from "@haft/core/kernel";
import { getCallStatus, changedFiles, formatPlanLines, isHead, getResultText } from "@haft/history/ledger";
import { formatTable } from "@haft/policy";
import { escapeInvisible } from "@haft/utils";
import { formatTimestamp, formatDuration } from "./format-times.ts";

/** Everything that is kept of a call, secrets covered: what is not kept is said to be missing. */
export function describeCall(call: CallRecord): string {
  const facts = formatTable(factsOfCall(call).map(([name, text]) => [name, escapeInvisible(text)]));
  return [
    facts.join("\n"),
    section("Arguments", call.args === undefined ? "(not kept)" : coveredJson(call.args)),
    section("Plan", formatPlanLines(call).join("\n")),
    ...changedFiles(call).map(({ path, diff = "", asAsked }) =>
      section(`Change of ${escapeInvisible(path)}${asAsked ? ", as it was asked for" : ""}`, diff),
    ),
    resultOf(call),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function resultOf({ result, outcome }: CallRecord): string {
  if (result === undefined) return outcome === undefined ? "" : section("Result", "(not kept)");
  const note = isHead(result) ? `, the beginning of ${result.bytes} bytes` : "";
  return section(`Result${note}`, getResultText(result));
}

/** Line by line, so that no text passes for a line of ours. */
function section(title: string, text: string): string {
  if (text === "") return "";
  const lines = text.replace(/\n$/, "").split("\n");
  return [title, ...lines.map((line) => `  ${line.split("\t").map(escapeInvisible).join("\t")}`)].join("\n");
}

/** A recorded value as JSON on several lines, secrets covered: a call that waits is kept with them. */
function coveredJson(value: unknown): string {
  return JSON.stringify(maskSecrets(value), undefined, 2) ?? "";
}

/** What is known of a call beside what it was given and answered: names with texts. */
function factsOfCall(call: CallRecord): (readonly [name: string, text: string])[] {
  const { decision, startedAt, endedAt, createdAt, grantIds, outcome } = call;
  const rows: (readonly [string, string | undefined | false])[] = [
    ["call", call.toolCallId],
    ["answered as", call.answeredAs],
    ["tool", call.tool && call.tool.id !== call.toolName && call.tool.id],
    ["outcome", `${getCallStatus(call)}${call.code === undefined ? "" : ` (${call.code})`}`],
    ["heard of", formatTimestamp(createdAt)],
    ["waited", startedAt === undefined ? undefined : formatDuration(Math.max(0, startedAt - createdAt))],
    [
      "ran",
      startedAt === undefined || endedAt === undefined
        ? undefined
        : formatDuration(Math.max(0, endedAt - startedAt)),
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
