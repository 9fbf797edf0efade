import type { GrantOffer } from "./plan.ts";
import type { SessionKind, ToolFacts } from "./policy-port.ts";
import type { ContentBlock } from "./result.ts";

/** Allows this call, also allows similar later calls, or denies it. */
export type ApprovalDecision = "allow-once" | "allow-always" | "deny";

/**
 * Answers an approval request.
 *
 * @example
 * ```ts
 * import type { ApprovalAnswer } from "@haft/core";
 *
 * const forAnHour: ApprovalAnswer = { decision: "allow-always", grant: "program", forMs: 3_600_000, by: "ops@example.com" };
 * ```
 */
export interface ApprovalAnswer {
  /** Decides the request. */
  decision: ApprovalDecision;
  /** Extends `allow-always` to this call (`exact`, default) or its programs with any arguments (`program`). */
  grant?: GrantOffer["kind"];
  /** Limits `allow-always`, in milliseconds. Default: until revoked. */
  forMs?: number;
  /** Names the decider. */
  by?: string;
}

/** Limits a grant to a session and agent. */
export interface ApprovalScope {
  /** Identifies the agent. */
  agentId: string;
  /** Identifies the conversation. */
  sessionKey: string;
}

/** Describes a waiting call, as plain JSON. */
export interface ApprovalRequestRecord {
  /** Identifies the agent. */
  agentId: string;
  /** Identifies the conversation. */
  sessionKey: string;
  /** Identifies the request; short enough to type. */
  approvalId: string;
  /** Identifies the call. */
  toolCallId: string;
  /** States the kind of the session. */
  sessionKind: SessionKind;
  /** Describes the tool. */
  tool: Pick<ToolFacts, "id" | "name" | "effects">;
  /** Contains the canonical, valid arguments. */
  args: unknown;
  /** Explains why approval is needed, as a sentence. */
  reason: string;
  /** Shows all effects to the approver. */
  preview: readonly ContentBlock[];
  /** Lists the risks, the gravest first. Absent without risks. */
  risks?: readonly {
    /** Selects icon and wording. */
    kind:
      | "carrier" // it can run anything
      | "compound" // it runs several commands
      | "consent" // it changes a file that others run or read
      | "deletes" // it deletes or overwrites files
      | "device" // it changes a disk
      | "elevated" // it runs with more rights
      | "ends" // it ends programs, or stops the machine
      | "history" // it loses data of a repository
      | "lasting" // it runs again later
      | "message" // it writes to people
      | "network" // it reaches the network
      | "node" // it acts on another machine
      | "outside" // it acts outside of the view or of the folders of the session
      | "permissions" // it changes access rights of files
      | "pipe" // it runs another command's output
      | "recursive" // it changes everything below a folder
      | "secret" // it names a usual location of secrets
      | "sends" // it sends files or data to another machine
      | "unclear" // its effects are uncertain
      | "unknown-effects"; // its effects are not declared
    /** Grades the risk, from `info` to `danger`. */
    level: "info" | "care" | "danger";
    /** Describes the risk, as a sentence. */
    text: string;
  }[];
  /** Lists extents of `allow-always`; if empty, see `noAlways`. */
  offers: readonly GrantOffer[];
  /** Ends a sentence: why `allow-always` is impossible. */
  noAlways?: string;
  /** Ends a sentence: why a `program` grant is impossible. */
  noProgramGrant?: string;
  /** States when it was made, in epoch milliseconds. */
  requestedAt: number;
  /** States when it expires, in epoch milliseconds. */
  expiresAt: number;
  /** Identifies the recorded run, which continues the call after a resume. */
  runId?: string;
  /** Identifies the call and its plan's bindings, on any host, to find earlier answers. */
  exactKey?: string;
  /** Contains the digests behind `exactKey` by name (`arguments`, `program git`). */
  parts?: Readonly<Record<string, string>>;
  /**
   * Tells whether the asking process still waits; only lasting stores set it. If `false`, the next process that makes the call gets the
   * answer.
   */
  attended?: boolean;
}

/** Describes a risk for the approver. */
export type RiskMark = NonNullable<ApprovalRequestRecord["risks"]>[number];

/**
 * States the progress. `open`: waits for a decision. `answered`: the answer waits for its process. `decided`: a process took it.
 * `withdrawn`: no answer is needed. `expired`: decision or delivery was late.
 */
export type ApprovalState = "open" | "answered" | "decided" | "withdrawn" | "expired";

/** Adds the signal that an approver receives. */
export interface ApprovalRequest extends ApprovalRequestRecord {
  /** Aborts if the call is decided elsewhere, aborted or expired. */
  signal: AbortSignal;
}

/**
 * Decides about calls, which wait for the answer.
 *
 * @example
 * ```ts
 * import type { Approver } from "@haft/core";
 *
 * const approver: Approver = {
 *   async ask({ risks = [] }) {
 *     return risks.some(({ level }) => level === "danger") ? "deny" : "allow-once";
 *   },
 * };
 * ```
 */
export interface Approver {
  /**
   * Requests a decision; only an explicit yes allows the call. A rejection denies it, but after `APPROVER_GONE` the call waits for another
   * answer.
   */
  ask(request: ApprovalRequest): Promise<ApprovalDecision | ApprovalAnswer>;
}

/** Permits more than one call. */
export interface ApprovalGrant extends ApprovalScope, GrantOffer {
  /** Identifies the grant, for lists and `revoke`. */
  id: string;
  /** Names the tool, as `plugin/name`. */
  toolId: string;
  /** States when it was made, in epoch milliseconds. */
  createdAt: number;
  /** States when it expires, in epoch milliseconds. Absent without a limit. */
  expiresAt?: number;
  /** Names the decider, if known. */
  by?: string;
  /** Counts the calls that the grant allowed. */
  used: number;
  /** States when it was last used, in epoch milliseconds. */
  lastUsedAt?: number;
}

/**
 * Stores grants and open requests.
 *
 * If a store fails or takes longer than 5 seconds, the host is notified, and calls continue without stored grants.
 *
 * Codes: `APPROVAL_NOT_FOUND`, `INVALID_DECISION`.
 *
 * @example
 * ```ts
 * import type { ApprovalStore } from "@haft/core/kernel";
 *
 * // Denies every request that waits, in whatever process it was made.
 * export async function denyAll(approvals: ApprovalStore): Promise<void> {
 *   for (const { approvalId } of await approvals.requests()) await approvals.answer(approvalId, { decision: "deny" });
 * }
 * ```
 */
export interface ApprovalStore {
  /** Returns the unexpired grants of a scope. */
  grants(scope: ApprovalScope): Promise<readonly ApprovalGrant[]>;
  /** Returns all unexpired grants, oldest first. */
  allGrants(): Promise<readonly ApprovalGrant[]>;
  /** Stores a grant. */
  addGrant(grant: ApprovalGrant): Promise<void>;
  /** Counts one use. Resolves to `false` if the grant was removed. */
  useGrant(id: string): Promise<boolean>;
  /** Removes a grant. Resolves to `false` if it does not exist. */
  revoke(id: string): Promise<boolean>;
  /** Publishes a request, for `answer` and `waitForAnswer`. */
  addRequest(request: ApprovalRequestRecord): Promise<void>;
  /** Closes a request: decided by its own approver, expired, or withdrawn (default). */
  removeRequest(approvalId: string, why?: "decided" | "expired" | "withdrawn"): Promise<void>;
  /** Returns the unexpired requests, oldest first. */
  requests(): Promise<readonly ApprovalRequestRecord[]>;
  /** Answers a request of any process, once. Rejects invalid and unoffered answers; the request then stays open. */
  answer(approvalId: string, answer: ApprovalAnswer): Promise<void>;
  /** Resolves to the answer, but never after the signal aborts. */
  waitForAnswer(approvalId: string, signal: AbortSignal): Promise<ApprovalAnswer>;
  /** Takes an unawaited answer, once, by request id or call. Absent in stores that end with their process. */
  takeAnswer?(
    which: { approvalId: string } | (ApprovalScope & { exactKey: string }),
  ): Promise<{ approvalId: string; answer: ApprovalAnswer } | undefined>;
  /** Returns that answer without taking it. Absent if unsupported. */
  peekAnswer?(
    which: ApprovalScope & { exactKey: string },
  ): Promise<{ approvalId: string; answer: ApprovalAnswer } | undefined>;
  /** Returns a request and its state, or `undefined`. A closed request has no arguments. */
  find?(approvalId: string): Promise<{ state: ApprovalState; request: ApprovalRequestRecord } | undefined>;
  /** Resolves to whether a process takes the answer within `withinMs` milliseconds. */
  awaitDelivery?(approvalId: string, withinMs: number): Promise<boolean>;
  /** Calls `listener` after possible changes, without keeping the process alive. Returns a function that stops. */
  watchRequests?(listener: () => void): () => void;
  /** Deletes requests and answers closed long ago. */
  sweep?(): Promise<void>;
  /** Describes unreadable entries, after {@link ApprovalStore.grants}. */
  problem?(): string | undefined;
  /** Stops all waits for answers. */
  close?(): Promise<void>;
}
