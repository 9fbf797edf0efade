import type { GrantOffer } from "./plan.ts";
import type { SessionKind, ToolFacts } from "./policy-port.ts";
import type { ContentBlock } from "./result.ts";

/** A decision: allow this call, allow this call and later ones like it, or deny it. */
export type ApprovalDecision = "allow-once" | "allow-always" | "deny";

/**
 * An answer to an approval request: a decision and, with `allow-always`, what it covers.
 *
 * @example
 * ```ts
 * import type { ApprovalAnswer } from "@haft/core";
 *
 * const forAnHour: ApprovalAnswer = { decision: "allow-always", grant: "program", forMs: 3_600_000, by: "ops@example.com" };
 * ```
 */
export interface ApprovalAnswer {
  /** The decision. */
  decision: ApprovalDecision;
  /**
   * With `allow-always`, what is allowed: this exact call (`exact`, the default) or the programs it uses with any arguments
   * (`program`).
   */
  grant?: GrantOffer["kind"];
  /** With `allow-always`, how long the grant holds, in milliseconds. By default it holds until it is revoked. */
  forMs?: number;
  /** The person or program that decided, for the record. */
  by?: string;
}

/** The session and agent that a grant is for. It holds for no other. */
export interface ApprovalScope {
  /** The agent it is for. */
  agentId: string;
  /** The conversation it is for. */
  sessionKey: string;
}

/** A call that waits for a decision, as plain JSON. */
export interface ApprovalRequestRecord {
  /** The agent whose call it is. */
  agentId: string;
  /** The conversation it belongs to. */
  sessionKey: string;
  /** The id of the request, short enough to type. */
  approvalId: string;
  /** The call that waits. */
  toolCallId: string;
  /** The kind of its session. */
  sessionKind: SessionKind;
  /** The tool it calls. */
  tool: Pick<ToolFacts, "id" | "name" | "effects">;
  /** The arguments of the call, canonical and valid. */
  args: unknown;
  /** Why somebody is asked, as a sentence. */
  reason: string;
  /** Everything that would happen, for the person who decides. */
  preview: readonly ContentBlock[];
  /** What deserves a second look before deciding, the gravest first. Absent if there is nothing. */
  risks?: readonly {
    /** The kind of risk, for icons and fixed wording. */
    kind:
      | "carrier" // it can run anything
      | "compound" // it runs several commands
      | "consent" // it changes a place that others run or read
      | "deletes" // it deletes or overwrites files
      | "device" // it changes a disk
      | "elevated" // it runs with more rights
      | "ends" // it ends programs, or stops the machine
      | "history" // it loses what a repository holds
      | "lasting" // it runs again later
      | "message" // it writes to people
      | "network" // it reaches the network
      | "node" // it acts on another machine
      | "outside" // it acts outside of the view or of the folders of the session
      | "permissions" // it changes who may do what with files
      | "pipe" // it runs what another command prints
      | "recursive" // it changes everything below a folder
      | "secret" // it names a place where secrets usually are
      | "sends" // it sends files or data to another machine
      | "unclear" // it is not certain what it runs
      | "unknown-effects"; // nobody declared what it may do
    /** How grave the risk is: `danger` before `care` before `info`. */
    level: "info" | "care" | "danger";
    /** The risk, as a sentence. */
    text: string;
  }[];
  /** What `allow-always` could cover. Empty if nothing can be allowed for good; then `noAlways` says why. */
  offers: readonly GrantOffer[];
  /** Why the call cannot be allowed for good, as the end of a sentence. */
  noAlways?: string;
  /** Why its programs cannot be allowed with any arguments, as the end of a sentence. Absent if they can. */
  noProgramGrant?: string;
  /** When the request was made, in milliseconds since the epoch. */
  requestedAt: number;
  /** When the request expires, in milliseconds since the epoch. */
  expiresAt: number;
  /** The run of its session, if a ledger records it. A process that continues the run continues the call. */
  runId?: string;
  /**
   * The identity of the call and of everything its plan ties it to. A repeated call finds an earlier answer by this key, on
   * any host.
   */
  exactKey?: string;
  /** The parts of `exactKey`, as digests by name (`arguments`, `program git`). They show which part differs later. */
  parts?: Readonly<Record<string, string>>;
  /**
   * Whether the process that asked still waits. Only lasting stores set it. If it is `false`, the store keeps the answer
   * for the next process that makes the call.
   */
  attended?: boolean;
}

/** A risk that is shown before a call is allowed. No rule depends on it. */
export type RiskMark = NonNullable<ApprovalRequestRecord["risks"]>[number];

/**
 * The state of a request. `open`: it waits for a decision. `answered`: the answer waits to be taken. `decided`: the answer
 * was taken. `withdrawn`: the process that asked wants no answer any more. `expired`: nobody decided, or nobody took the
 * answer, in time.
 */
export type ApprovalState = "open" | "answered" | "decided" | "withdrawn" | "expired";

/** A request as an approver receives it. */
export interface ApprovalRequest extends ApprovalRequestRecord {
  /** Aborts when the call is decided elsewhere, is aborted or has expired. The approver then stops showing the request. */
  signal: AbortSignal;
}

/**
 * A person or program that decides about calls. Each call waits for the answer.
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
   * Asks for a decision. Only an explicit yes allows the call. A rejection denies it; with the code `APPROVER_GONE` the
   * call waits for an answer from elsewhere.
   */
  ask(request: ApprovalRequest): Promise<ApprovalDecision | ApprovalAnswer>;
}

/** A permission for more than one call. */
export interface ApprovalGrant extends ApprovalScope, GrantOffer {
  /** The id by which the grant is listed and revoked. */
  id: string;
  /** The tool, as `plugin/name`. */
  toolId: string;
  /** When the grant was made, in milliseconds since the epoch. */
  createdAt: number;
  /** When the grant expires, in milliseconds since the epoch. Absent if it holds until it is revoked. */
  expiresAt?: number;
  /** The person or program that agreed, if the answer named it. */
  by?: string;
  /** How many calls the grant has let through. */
  used: number;
  /** When the grant last let a call through, in milliseconds since the epoch. */
  lastUsedAt?: number;
}

/**
 * Stores approvals: grants, and open requests for people and programs elsewhere to see and answer. Grants outlive the
 * session if the store does.
 *
 * A store that fails or takes longer than 5 seconds is reported, and calls go on without it: earlier grants then do not
 * count, and calls are asked about.
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
  /** Returns the grants of a scope that have not expired. */
  grants(scope: ApprovalScope): Promise<readonly ApprovalGrant[]>;
  /** Returns all grants that have not expired, oldest first. */
  allGrants(): Promise<readonly ApprovalGrant[]>;
  /** Stores a grant. */
  addGrant(grant: ApprovalGrant): Promise<void>;
  /** Counts one use of a grant. Resolves to `false` if the grant is gone; the call is then not let through. */
  useGrant(id: string): Promise<boolean>;
  /** Removes a grant. Resolves to `false` if there is none with this id. */
  revoke(id: string): Promise<boolean>;
  /** Adds a request, so that others see it. {@link ApprovalStore.waitForAnswer} resolves to an answer given elsewhere. */
  addRequest(request: ApprovalRequestRecord): Promise<void>;
  /** Closes a request: it was decided where it was asked, it expired, or (the default) it was withdrawn. */
  removeRequest(approvalId: string, why?: "decided" | "expired" | "withdrawn"): Promise<void>;
  /** Returns the requests that have not expired, oldest first. */
  requests(): Promise<readonly ApprovalRequestRecord[]>;
  /**
   * Answers a request of any process, once. An invalid answer, or one that was not offered, is rejected, and the request
   * stays open.
   */
  answer(approvalId: string, answer: ApprovalAnswer): Promise<void>;
  /** Resolves with the answer given through {@link ApprovalStore.answer}; never when the signal aborts first. */
  waitForAnswer(approvalId: string, signal: AbortSignal): Promise<ApprovalAnswer>;
  /**
   * Takes an answer that no process waits for, by the id of the request or by the call. Each answer is taken once. Absent
   * in stores that end with their process.
   */
  takeAnswer?(
    which: { approvalId: string } | (ApprovalScope & { exactKey: string }),
  ): Promise<{ approvalId: string; answer: ApprovalAnswer } | undefined>;
  /**
   * Returns the answer that `takeAnswer` would take for such a call, and leaves it in the store. Absent in stores that
   * cannot tell.
   */
  peekAnswer?(
    which: ApprovalScope & { exactKey: string },
  ): Promise<{ approvalId: string; answer: ApprovalAnswer } | undefined>;
  /**
   * Returns a request and its state. A closed request has no arguments. Resolves to `undefined` if the store knows no
   * request of this id.
   */
  find?(approvalId: string): Promise<{ state: ApprovalState; request: ApprovalRequestRecord } | undefined>;
  /**
   * Waits until somebody has taken the answer to a request, at most `withinMs` milliseconds. Resolves to whether it was
   * taken.
   */
  awaitDelivery?(approvalId: string, withinMs: number): Promise<boolean>;
  /** Calls `look` when requests may have come or gone. Returns a function that ends it. It does not keep the process alive. */
  watchRequests?(look: () => void): () => void;
  /** Deletes requests and answers that were closed long ago. */
  sweep?(): Promise<void>;
  /**
   * Returns what the store could not read, as a sentence. Such entries grant nothing. Called after {@link
   * ApprovalStore.grants}.
   */
  problem?(): string | undefined;
  /** Ends waiting for answers. */
  close?(): Promise<void>;
}
