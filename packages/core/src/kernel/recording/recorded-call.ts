import type { CallRecord, ToolMeta } from "../../contract/ledger-port.ts";
import type { CallPlan } from "../../contract/plan.ts";
import type { Decision, Sender, ToolFacts } from "../../contract/policy-port.ts";

export interface RecordedCall {
  readonly id: string;
  readonly answeredAs: string;
  readonly toolName: string;
  readonly meta: ToolMeta;
  readonly received: { readonly name: string; readonly arguments?: unknown };
  readonly options: { readonly sender?: Sender | "system" };
  readonly tool: { readonly facts: ToolFacts } | undefined;
  readonly plan: CallPlan | undefined;
  readonly decision: Decision | undefined;
  readonly key: string;
  readonly fingerprint: string | undefined;
  readonly argsDigest: string | undefined;
  readonly isResumed: boolean;
  readonly masked: {
    argsSource?: unknown;
    args?: unknown;
    planSource?: CallPlan;
    plan?: NonNullable<CallRecord["plan"]>;
  };
  seq: number | undefined;
  isRecorded: boolean;
  approvalId: string | undefined;
  changesThings(): boolean;
  traits(): { readonly isPoll: boolean };
}
