import type { ApprovalStore } from "../contract/approval-port.ts";
import type { CallPlan } from "../contract/plan.ts";
import type { Decision, SessionFacts, ToolFacts } from "../contract/policy-port.ts";
import type { Logger, Workspace } from "../contract/ports.ts";

export interface ApprovalSession {
  readonly key: string;
  readonly facts: SessionFacts;
  readonly workspace: Workspace;
  readonly approvals: ApprovalStore;
  readonly runId?: string | undefined;
  readonly settings: { readonly logger: Logger };
}

/** `APPROVALS_UNREADABLE`: earlier grants do not count. `APPROVAL_NOT_STORED`: other processes cannot decide. */
export type StoreFailure = "APPROVALS_UNREADABLE" | "APPROVAL_NOT_STORED";

export interface ApprovalSubject {
  readonly tool: { readonly facts: ToolFacts };
  readonly args: Record<string, unknown>;
  readonly plan?: CallPlan | undefined;
  readonly decision: Decision;
  summary(): string;
  storeFailed(code: StoreFailure, message: string): void;
}
