import {
  type ApprovalAnswer,
  type ApprovalDecision,
  type ApprovalRequestRecord,
  HaftError,
} from "@haft/core";
import { approvalNotFoundError, type ApprovalState } from "@haft/core/internal";
import { maskSecrets } from "@haft/core/internal/records";
import { type DeliveryStatus, awaitDelivery } from "@haft/host/internal/approvals";
import { withoutUndefined } from "@haft/utils";
import { setImmediate as turn } from "node:timers/promises";
import { inspectorError } from "../../errors.ts";
import type {
  DecisionRequest,
  DecisionResult,
  Approval,
  Approvals,
  DecisionConflict,
} from "../../wire/api.ts";
import { formatCallSummary } from "../calls/call-row.ts";
import type { InspectionContext } from "../inspection-context.ts";

/** Milliseconds for the caller. */
const DELIVERY_MS = 5_000;
/** Answers remembered for conflicts. */
const MAX_ANSWERED = 1_000;

const BY = "the inspector";

/** Requests in the store and in sessions without a store. */
export class PendingApprovals {
  readonly #looking: InspectionContext;
  readonly #answered = new Map<string, { decision: ApprovalDecision; at: number }>();

  constructor(looking: InspectionContext) {
    this.#looking = looking;
  }

  requests(): Promise<readonly ApprovalRequestRecord[]> {
    return this.#looking.host.pendingApprovals();
  }

  async all(): Promise<Approvals> {
    const waiting = await Promise.all((await this.requests()).map((request) => this.toApproval(request)));
    const grants = (await this.#looking.internals.approvals?.allGrants()) ?? [];
    return { waiting, grants: maskSecrets(grants) };
  }

  async toApproval(request: ApprovalRequestRecord): Promise<Approval> {
    const { approvalId, toolCallId, runId, sessionKey, sessionKind, agentId, tool, args, reason } = request;
    const { preview, offers, noAlways, noProgramGrant, requestedAt, expiresAt, attended } = request;
    return withoutUndefined<Approval>({
      approvalId,
      toolCallId,
      runId: runId ?? this.#liveRun(approvalId),
      sessionKey,
      sessionKind,
      agentId,
      tool,
      summary: formatCallSummary(tool.name, args),
      reason,
      preview,
      notes: request.risks ?? [],
      offers,
      noAlways,
      noProgramGrant,
      requestedAt,
      expiresAt,
      unattended: attended === false ? true : undefined,
      resume: attended === false ? await this.#howToResume(runId) : undefined,
    });
  }

  /** @throws HaftError `APPROVAL_DECIDED`, `APPROVAL_NOT_FOUND`, `INVALID_DECISION` */
  async answer(approvalId: string, { decision, grant, forMs }: DecisionRequest): Promise<DecisionResult> {
    const answer = withoutUndefined<ApprovalAnswer>({ decision, grant, forMs, by: BY });
    const status = await this.#give(approvalId, answer);
    return {
      approvalId,
      decision,
      heard: status === "too late" ? "late" : status,
      said: DELIVERY_TEXT[status],
    };
  }

  async getConflict(approvalId: string): Promise<DecisionConflict> {
    const recent = this.#answered.get(approvalId);
    const found = await this.#looking.internals.approvals?.find?.(approvalId).catch(() => undefined);
    const state: ApprovalState | "unknown" = found?.state ?? (recent === undefined ? "unknown" : "decided");
    const by = recent === undefined ? await this.#decidedBy(found?.request) : BY;
    return withoutUndefined<DecisionConflict>({ approvalId, state, ...recent, by });
  }

  async #give(approvalId: string, answer: ApprovalAnswer): Promise<DeliveryStatus> {
    const { approvals, sessions } = this.#looking.internals;
    // The store accepts one of several answers.
    const found = await approvals?.find?.(approvalId);
    const isStored = found !== undefined;
    const live = sessions
      .all()
      .find(({ session }) => session.pendingApprovals().some((one) => one.approvalId === approvalId));
    if (isStored ? found.state !== "open" : live === undefined) throw await this.#tooLate(approvalId);
    const isFirst = this.#remember(approvalId, answer.decision);
    try {
      if (isStored) await approvals!.answer(approvalId, answer);
      else await settled(live!.session.resolveApproval(approvalId, answer));
    } catch (thrown) {
      if (isFirst) this.#answered.delete(approvalId);
      if (HaftError.is(thrown) && thrown.code === "APPROVAL_NOT_FOUND") throw await this.#tooLate(approvalId);
      throw thrown;
    }
    // This process's session receives it at once.
    return live === undefined ? awaitDelivery(approvals!, approvalId, DELIVERY_MS) : "taken";
  }

  #remember(approvalId: string, decision: ApprovalDecision): boolean {
    if (this.#answered.has(approvalId)) return false;
    this.#answered.set(approvalId, { decision, at: Date.now() });
    const [oldest] = this.#answered.keys();
    if (this.#answered.size > MAX_ANSWERED && oldest !== undefined) this.#answered.delete(oldest);
    return true;
  }

  async #tooLate(approvalId: string): Promise<HaftError> {
    const first = await this.getConflict(approvalId);
    if (first.state === "unknown") return approvalNotFoundError(JSON.stringify(approvalId), "unknown");
    const who = first.by === undefined ? "" : ` by ${first.by}`;
    const what = first.decision === undefined ? WHAT[first.state] : `answered ${first.decision}`;
    return inspectorError("APPROVAL_DECIDED", `The request ${approvalId} was already ${what}${who}.`, {
      details: { ...first },
    });
  }

  async #decidedBy(request: ApprovalRequestRecord | undefined): Promise<string | undefined> {
    if (request?.runId === undefined) return undefined;
    return (await this.#recorded(request.runId, request.toolCallId))?.decidedBy;
  }

  #liveRun(approvalId: string): string | undefined {
    const opened = this.#looking.internals.sessions
      .all()
      .find(({ session }) => session.pendingApprovals().some((one) => one.approvalId === approvalId));
    return opened?.session.opening;
  }

  async #recorded(runId: string, toolCallId: string) {
    const live = this.#looking.live(runId)?.session;
    return (
      (await live?.findRecord(toolCallId).catch(() => undefined)) ??
      (await this.#looking
        .ledger()
        .call(runId, toolCallId)
        .catch(() => undefined))
    );
  }

  async #howToResume(runId: string | undefined): Promise<string | undefined> {
    const run = runId === undefined ? undefined : await this.#looking.ledger().run(runId);
    return run && this.#looking.resume?.(run);
  }
}

const DELIVERY_TEXT: Readonly<Record<DeliveryStatus, string>> = {
  taken: "The caller received the answer.",
  kept: "No program waits for it now. The answer is stored for a day, until the session continues or the same call is made again.",
  "too late":
    "The answer had no effect: the call was decided elsewhere or cancelled, or its program has ended.",
};

const WHAT: Readonly<Record<ApprovalState, string>> = {
  open: "closed a moment ago",
  answered: "answered",
  decided: "decided",
  withdrawn: "withdrawn by its caller",
  expired: "not decided in time",
};

/** Rejections are immediate, but the call may take hours. */
async function settled(deciding: Promise<unknown>): Promise<void> {
  let problem: { thrown: unknown } | undefined;
  deciding.catch((thrown: unknown) => (problem = { thrown }));
  await turn();
  if (problem !== undefined) throw problem.thrown;
}
