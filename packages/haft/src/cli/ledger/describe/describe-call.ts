import { maskSecrets } from "@haft/core/internal/records";
import type { CallRecord } from "@haft/core/kernel";
import { getCallStatus, changedFiles, formatPlanLines, isHead, getResultText } from "@haft/history/ledger";
import { formatTable } from "@haft/policy";
import { escapeInvisible } from "@haft/utils";
import { formatTimestamp, formatDuration } from "./format-times.ts";

export function describeCall(call: CallRecord): string {
  const facts = formatTable(factsOfCall(call).map(([name, text]) => [name, escapeInvisible(text)]));
  return [
    facts.join("\n"),
    section("Arguments", call.args === undefined ? "(not stored)" : coveredJson(call.args)),
    section("Plan", formatPlanLines(call).join("\n")),
    ...changedFiles(call).map(({ path, diff = "", asAsked }) =>
      section(`Change of ${escapeInvisible(path)}${asAsked ? ", as requested" : ""}`, diff),
    ),
    resultOf(call),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function resultOf({ result, outcome }: CallRecord): string {
  if (result === undefined) return outcome === undefined ? "" : section("Result", "(not stored)");
  const note = isHead(result) ? `, the beginning of ${result.bytes} bytes` : "";
  return section(`Result${note}`, getResultText(result));
}

/** Indented, so that recorded text cannot imitate headings. */
function section(title: string, text: string): string {
  if (text === "") return "";
  const lines = text.replace(/\n$/, "").split("\n");
  return [title, ...lines.map((line) => `  ${line.split("\t").map(escapeInvisible).join("\t")}`)].join("\n");
}

/** A pending call contains secrets. */
function coveredJson(value: unknown): string {
  return JSON.stringify(maskSecrets(value), undefined, 2) ?? "";
}

function factsOfCall(call: CallRecord): (readonly [name: string, text: string])[] {
  const { decision, startedAt, endedAt, createdAt, grantIds, outcome } = call;
  const rows: (readonly [string, string | undefined | false])[] = [
    ["call", call.toolCallId],
    ["answered as", call.answeredAs],
    ["tool", call.tool && call.tool.id !== call.toolName && call.tool.id],
    ["outcome", `${getCallStatus(call)}${call.code === undefined ? "" : ` (${call.code})`}`],
    ["received", formatTimestamp(createdAt)],
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
      decision ? `${decision.effect}: ${decision.reason}` : outcome && "unknown: it was not stored",
    ],
    ["by the rule", decision?.rule && ruleOf(decision)],
    ["sender", call.sender && (call.sender === "system" ? "the host itself" : JSON.stringify(call.sender))],
    ["decided by", call.decidedBy],
    ["approval", call.approvalId],
    ["allowed by", grantIds && grantIds.length > 0 && `earlier grants (${grantIds.join(", ")})`],
    ["made by", call.parentCallId && `the call ${call.parentCallId}`],
    ["same as", call.duplicateOf && `the call ${call.duplicateOf}`],
    ["contacted", call.hosts?.join(", ")],
    ["resumed", call.resumed && "it ran after a resume, with an answer from before"],
  ];
  return rows.flatMap(([name, text]) =>
    text === undefined || text === false || text === "" ? [] : [[name, text]],
  );
}

const RECEIPTS: Readonly<Record<string, string>> = {
  none: "none: it changed nothing",
  committed: "committed: its changes are complete",
  unknown: "unknown: its changes are not known",
};

function ruleOf({ layer, rule, source }: NonNullable<CallRecord["decision"]>): string {
  const position = [layer, source].filter((part) => part !== undefined).join(", ");
  return position === "" ? (rule ?? "") : `${rule} (${position})`;
}
