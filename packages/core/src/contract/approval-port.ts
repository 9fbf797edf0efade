import type { GrantOffer } from "./plan.ts";
import type { SessionKind, ToolFacts } from "./policy-port.ts";
import type { ContentBlock } from "./result.ts";

/** How somebody decided: this call, this and calls like it, or not. */
export type ApprovalDecision = "allow-once" | "allow-always" | "deny";

/** A decision; with `allow-always`, of what. */
export interface ApprovalAnswer {
  /** What was decided. */
  decision: ApprovalDecision;
  /** With `allow-always`: this exact call (the default), or the programs it uses whatever their arguments. */
  grant?: GrantOffer["kind"];
  /** With `allow-always`: milliseconds it holds. Until revoked by default. */
  forMs?: number;
  /** Who decided, for the record. */
  by?: string;
}

/** Whom a grant is for: no other session, and no other agent. */
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
  /** Short enough to type. */
  approvalId: string;
  /** The call that waits. */
  toolCallId: string;
  /** The kind of its session. */
  sessionKind: SessionKind;
  /** The tool it calls. */
  tool: Pick<ToolFacts, "id" | "name" | "effects">;
  /** Its arguments, canonical and valid. */
  args: unknown;
  /** Why it is asked. */
  reason: string;
  /** What a person should look at before deciding: everything that would happen. */
  preview: readonly ContentBlock[];
  /** What to look at twice before deciding, the gravest first. Absent where there is nothing. */
  risks?: readonly {
    /** For icons, and words of one kind. */
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
    /** `danger` before `care` before `info`. */
    level: "info" | "care" | "danger";
    /** A sentence. */
    text: string;
  }[];
  /** What `allow-always` could cover here. Empty when it is impossible; then `noAlways` says why. */
  offers: readonly GrantOffer[];
  /** Why it cannot be allowed for good, as the rest of a sentence. */
  noAlways?: string;
  /** Why there is no offer for the program, when there is none. */
  noProgramGrant?: string;
  /** Milliseconds since the epoch. */
  requestedAt: number;
  /** When waiting ends, likewise. */
  expiresAt: number;
  /** The run of its session, where a ledger keeps it: whoever continues that run continues the call. */
  runId?: string;
  /** Identity of the call and all its plan ties it to: a repeated call finds an earlier answer by it, on any host. */
  exactKey?: string;
  /** What that identity is made of, as digests by name (`arguments`, `program git`): what is another by now can be said. */
  parts?: Readonly<Record<string, string>>;
  /** Told by lasting stores: the asking process is there. If not, the answer is kept for who repeats the call. */
  attended?: boolean;
}

/** Something to look at twice before a call is allowed. It warns, and no rule rests on it. */
export type RiskMark = NonNullable<ApprovalRequestRecord["risks"]>[number];

/**
 * What became of a request, as far as its store still knows. `answered`: and the answer waits for whoever takes it.
 * `decided`: the answer was taken. `withdrawn`: whoever asked does not want to know any more. `expired`: nobody decided in
 * time, or nobody took the answer in time.
 */
export type ApprovalState = "open" | "answered" | "decided" | "withdrawn" | "expired";

/** A request as an approver gets it. */
export interface ApprovalRequest extends ApprovalRequestRecord {
  /** Aborts when the call is decided elsewhere, aborted or late: stop showing it. */
  signal: AbortSignal;
}

/** Somebody who can be asked. The call waits for the answer. */
export interface Approver {
  /** Only a clear yes allows. Throwing denies, but with `APPROVER_GONE` the call waits for an answer from elsewhere. */
  ask(request: ApprovalRequest): Promise<ApprovalDecision | ApprovalAnswer>;
}

/** What somebody allowed for more than one call. */
export interface ApprovalGrant extends ApprovalScope, GrantOffer {
  /** For listing and revoking it. */
  id: string;
  /** The tool, as `plugin/name`. */
  toolId: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** Absent: until revoked. */
  expiresAt?: number;
  /** Who agreed, where they said so. */
  by?: string;
  /** Calls it let through, and when it last did. */
  used: number;
  /** When it last let a call through, in milliseconds since the epoch. */
  lastUsedAt?: number;
}

/**
 * Where approvals are kept. Grants outlive the session when the store does; requests are there so that
 * somebody elsewhere can see and answer them.
 *
 * Codes: `APPROVAL_NOT_FOUND`, `INVALID_DECISION`. One that fails or does not answer within
 * 5 seconds is reported and done without: calls are then asked about, and nothing that was allowed before counts.
 */
export interface ApprovalStore {
  /** Grants of a scope that have not expired. */
  grants(scope: ApprovalScope): Promise<readonly ApprovalGrant[]>;
  /** All that have not expired, oldest first. */
  allGrants(): Promise<readonly ApprovalGrant[]>;
  /** Keeps a grant. */
  addGrant(grant: ApprovalGrant): Promise<void>;
  /** Counts a use; a grant that is gone meanwhile answers false, and does not let the call through. */
  useGrant(id: string): Promise<boolean>;
  /** False when there is none of this id. */
  revoke(id: string): Promise<boolean>;
  /** Makes a request visible. The answer given elsewhere is what {@link ApprovalStore.waitForAnswer} resolves to. */
  addRequest(request: ApprovalRequestRecord): Promise<void>;
  /** Nobody should answer it any more: it was decided where it was asked, its time is over, or (the default) it is withdrawn. */
  removeRequest(approvalId: string, why?: "decided" | "expired" | "withdrawn"): Promise<void>;
  /** Those that have not expired, oldest first. */
  requests(): Promise<readonly ApprovalRequestRecord[]>;
  /** Answers a request of any process, once. An invalid answer, or one that was not offered, is refused; the request stays. */
  answer(approvalId: string, answer: ApprovalAnswer): Promise<void>;
  /** Resolves with the answer given through {@link ApprovalStore.answer}; never when the signal aborts first. */
  waitForAnswer(approvalId: string, signal: AbortSignal): Promise<ApprovalAnswer>;
  /** Uses up an answer nobody waited for, by its id or by the call. Absent in stores that end with their process. */
  takeAnswer?(
    which: { approvalId: string } | (ApprovalScope & { exactKey: string }),
  ): Promise<{ approvalId: string; answer: ApprovalAnswer } | undefined>;
  /** The answer that `takeAnswer` would use up for such a call, left where it is. Absent in stores that cannot say. */
  peekAnswer?(
    which: ApprovalScope & { exactKey: string },
  ): Promise<{ approvalId: string; answer: ApprovalAnswer } | undefined>;
  /** A request whatever became of it, without its arguments once it is over. `undefined`: none of this id is known any more. */
  find?(approvalId: string): Promise<{ state: ApprovalState; request: ApprovalRequestRecord } | undefined>;
  /** Resolves to whether somebody has taken the answer to a request, within so many milliseconds. */
  awaitDelivery?(approvalId: string, withinMs: number): Promise<boolean>;
  /** Calls `look` when requests may have come or gone; returns the way to stop. Does not keep the process alive. */
  watchRequests?(look: () => void): () => void;
  /** Forgets what is over for so long that nobody will ask about it. */
  sweep?(): Promise<void>;
  /** What in it could not be read, and grants nothing, as a sentence; asked after {@link ApprovalStore.grants}. */
  problem?(): string | undefined;
  /** Stops watching for answers. */
  close?(): Promise<void>;
}
