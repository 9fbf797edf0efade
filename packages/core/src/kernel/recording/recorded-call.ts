import type { CallRecord, ToolMeta } from "../../contract/ledger-port.ts";
import type { CallPlan } from "../../contract/plan.ts";
import type { Decision, Sender, ToolFacts } from "../../contract/policy-port.ts";

/** A call, as far as its record is concerned. */
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
  /** Empty where it was not looked for. */
  readonly key: string;
  readonly fingerprint: string | undefined;
  readonly argsDigest: string | undefined;
  readonly isResumed: boolean;
  /** What of it is in its record already, and what that was made of; the recorder's to fill in. */
  readonly covered: {
    argsOf?: unknown;
    args?: unknown;
    planOf?: CallPlan;
    plan?: NonNullable<CallRecord["plan"]>;
  };
  /** Its place in the run; likewise. */
  seq: number | undefined;
  /** The store knows of it before its end; likewise. */
  isRecorded: boolean;
  /** What it waits, or waited, for; likewise. */
  approvalId: string | undefined;
  /** Whether the tool can change anything. */
  changesThings(): boolean;
  traits(): { readonly isPoll: boolean };
}
