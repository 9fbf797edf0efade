import { summarizeCall } from "@haft/core";
import { maskSecrets } from "@haft/core/internal/records";
import type { CallRecord } from "@haft/core/kernel";
import { getCallStatus, type RecordedCallStatus } from "@haft/history/ledger";
import { formatTable } from "@haft/policy";
import { escapeInvisible } from "@haft/utils";
import { formatDuration } from "./format-times.ts";

/** Files and some terminals have no colours. */
const MARKS: Readonly<Record<RecordedCallStatus, string>> = {
  ok: "ok",
  error: "ERROR",
  blocked: "blocked",
  cancelled: "cancelled",
  waiting: "waits",
  running: "runs",
  interrupted: "INTERRUPTED",
  gap: "gap",
};

export function callTable(calls: readonly CallRecord[], now: number): string[] {
  return formatTable([
    ["when", "call", "what", "outcome", "receipt", "took"],
    ...calls.map((call) => row(call, now)),
  ]);
}

function row(call: CallRecord, now: number): string[] {
  const { createdAt, endedAt, toolCallId, answeredAs, code, receipt = "" } = call;
  const when = timeOf(createdAt, now);
  const end = getCallStatus(call);
  if (end === "gap")
    return [when, "", "(records of calls that only read may be missing from here on)", MARKS.gap, "", ""];
  const id =
    answeredAs === undefined || answeredAs === toolCallId ? toolCallId : `${toolCallId} (${answeredAs})`;
  const child = call.parentCallId === undefined ? "" : "└ ";
  const outcome = code === undefined || end === "interrupted" ? MARKS[end] : `${MARKS[end]} ${code}`;
  const waits =
    call.approvalId !== undefined && end === "waiting" ? `${outcome} (${call.approvalId})` : outcome;
  return [
    when,
    escapeInvisible(id),
    child + summarizeCall(call.toolName, maskSecrets(call.args ?? {}), { format: "plain" }),
    escapeInvisible(waits),
    receipt,
    endedAt === undefined ? "" : formatDuration(Math.max(0, endedAt - createdAt)),
  ];
}

function timeOf(time: number, now: number): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, "0");
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  if (date.toDateString() === new Date(now).toDateString()) return clock;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock}`;
}
