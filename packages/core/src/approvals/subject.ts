import type { ApprovalStore } from "../contract/approval-port.ts";
import type { CallPlan } from "../contract/plan.ts";
import type { Decision, SessionFacts, ToolFacts } from "../contract/policy-port.ts";
import type { Logger, Workspace } from "../contract/ports.ts";

/** The session of a call, as far as approvals are concerned. */
export interface ApprovalSession {
  readonly key: string;
  readonly facts: SessionFacts;
  readonly workspace: Workspace;
  readonly approvals: ApprovalStore;
  /** The run its calls are recorded in, once it has one. */
  readonly runId?: string | undefined;
  readonly settings: { readonly logger: Logger };
}

/** `APPROVALS_UNREADABLE`: what was allowed before does not count. `APPROVAL_NOT_STORED`: nobody elsewhere can decide. */
export type StoreFailure = "APPROVALS_UNREADABLE" | "APPROVAL_NOT_STORED";

/** The call itself, likewise. */
export interface ApprovalSubject {
  readonly tool: { readonly facts: ToolFacts };
  /** Canonical and valid. */
  readonly args: Record<string, unknown>;
  readonly plan?: CallPlan | undefined;
  readonly decision: Decision;
  /** In one line. */
  summary(): string;
  storeFailed(code: StoreFailure, message: string): void;
}
