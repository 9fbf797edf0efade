import { computed, effect, signal } from "@preact/signals";
import type {
  DecisionRequest,
  DecisionResult,
  Approval,
  DecisionConflict,
  ApiError,
  InspectorEvent,
} from "../../src/wire/api.ts";
import { onEvent } from "../client/event-stream.ts";
import { callApi, RequestError } from "../client/request.ts";
import { escapeInvisibleLine } from "../parts/text/escape-invisible.ts";
import { approvals as texts } from "../strings/calls.ts";
import { generation } from "./about.ts";
import { catchUp } from "./catch-up.ts";
import { toApiError, isUnreachable } from "./resource.ts";

type Grant = Awaited<ReturnType<typeof readApprovals>>["grants"][number];

interface Settled {
  approvalId: string;
  toolName: string;
  summary: string;
  text: string;
  word: "allow" | "deny" | "quiet";
  at: number;
}

export const waiting = signal<readonly Approval[]>([]);
export const grants = signal<readonly Grant[]>([]);
/** The newest first. */
export const settled = signal<readonly Settled[]>([]);
export const approvalsLoaded = signal(false);
export const approvalsError = signal<ApiError | undefined>(undefined);

export const newApprovalNotice = signal("");

export const waitingCount = computed(() => waiting.value.length);

const MAX_SETTLED = 30;
/** Screen readers must not find it again. */
const NOTICE_MS = 5_000;
let saying: ReturnType<typeof setTimeout> | undefined;

/** Late events do not reopen closed requests. */
const over = new Set<string>();
const MAX_OVER = 1_000;

function readApprovals() {
  return callApi("GET /api/approvals");
}

function loadApprovals(): Promise<void> {
  return catchUp(
    readApprovals,
    (found) => {
      waiting.value = found.waiting.filter(({ approvalId }) => !over.has(approvalId));
      grants.value = found.grants;
      approvalsLoaded.value = true;
      approvalsError.value = undefined;
    },
    hear,
  );
}

export async function reloadApprovals(): Promise<void> {
  try {
    await loadApprovals();
  } catch (thrown) {
    approvalsError.value = toApiError(thrown);
  }
}

export function watchApprovals(): void {
  effect(() => {
    if (generation.value > 0) void reloadApprovals();
  });
  onEvent((event) => {
    if (event.type === "hello" && isUnreachable(approvalsError.peek())) void reloadApprovals();
    hear(event);
    if (event.type === "approval-over" && event.decision === "allow-always") void reloadApprovals();
  });
}

function hear(event: InspectorEvent): void {
  if (event.type === "approval") put(event.approval);
  else if (event.type === "approval-over") settle(event);
}

/** Returns a result or conflict in words. */
export async function answer(
  approval: Approval,
  given: DecisionRequest,
): Promise<DecisionResult | undefined> {
  try {
    const result = await callApi("POST /api/approvals/:id", {
      path: { id: approval.approvalId },
      body: given,
    });
    leave(approval, result.said, given.decision === "deny" ? "deny" : "allow");
    if (given.decision === "allow-always") void reloadApprovals();
    return result;
  } catch (thrown) {
    if (!(thrown instanceof RequestError) || (thrown.status !== 409 && thrown.status !== 404)) throw thrown;
    const first = thrown.error.details as Partial<DecisionConflict> | undefined;
    const what =
      first?.decision === undefined ? texts.over[first?.state ?? "unknown"] : texts.said[first.decision];
    leave(
      approval,
      thrown.status === 409 ? texts.first(what, first?.by ?? "") : thrown.error.message,
      "quiet",
    );
    return undefined;
  }
}

export async function revoke(id: string): Promise<void> {
  await callApi("DELETE /api/grants/:id", { path: { id } });
  grants.value = grants.value.filter((grant) => grant.id !== id);
}

function put(approval: Approval): void {
  if (over.has(approval.approvalId)) return;
  const index = waiting.value.findIndex(({ approvalId }) => approvalId === approval.approvalId);
  waiting.value = index < 0 ? [...waiting.value, approval] : waiting.value.with(index, approval);
  if (index < 0) say(texts.begins(escapeInvisibleLine(approval.tool.name), waiting.value.length));
}

function say(text: string): void {
  newApprovalNotice.value = text;
  clearTimeout(saying);
  saying = setTimeout(() => (newApprovalNotice.value = ""), NOTICE_MS);
}

function settle({
  approvalId,
  decision,
  state,
  by,
}: Extract<InspectorEvent, { type: "approval-over" }>): void {
  isOver(approvalId);
  const approval = waiting.value.find((each) => each.approvalId === approvalId);
  if (approval === undefined) return;
  const what = decision === undefined ? texts.over[state] : texts.said[decision];
  const word = decision === undefined ? "quiet" : decision === "deny" ? "deny" : "allow";
  leave(approval, by === undefined ? what : `${what}, ${by}`, word);
}

function isOver(approvalId: string): void {
  over.add(approvalId);
  if (over.size > MAX_OVER) over.delete(over.values().next().value!);
}

function leave({ approvalId, tool, summary }: Approval, text: string, word: Settled["word"]): void {
  isOver(approvalId);
  waiting.value = waiting.value.filter((each) => each.approvalId !== approvalId);
  const others = settled.value.filter((each) => each.approvalId !== approvalId);
  const one = { approvalId, toolName: tool.name, summary, text, word, at: Date.now() };
  settled.value = [one, ...others].slice(0, MAX_SETTLED);
}
