import type {
  ApprovalAnswer,
  ApprovalDecision,
  ContentBlock,
  GrantOffer,
  SessionKind,
  ToolEffect,
} from "@haft/core";
import type { ApprovalGrant, ApprovalState, RiskMark } from "@haft/core/kernel";
import type { Time } from "./basics.ts";

/** A call that waits for a decision. */
export interface Approval {
  /** Short enough to type. */
  approvalId: string;
  /** The call. */
  toolCallId: string;
  /** Its session, where that is recorded. */
  runId?: string;
  /** The conversation. */
  sessionKey: string;
  /** The kind of session. */
  sessionKind: SessionKind;
  /** Whose conversation it is. */
  agentId: string;
  /** What it calls. */
  tool: { id: string; name: string; effects: readonly ToolEffect[] };
  /** What it is about, on one line, without the name of the tool. */
  summary: string;
  /** Why it is asked. */
  reason: string;
  /** The plan as it will run: all that a person needs to see. */
  preview: readonly ContentBlock[];
  /** What to look at twice, the gravest first. */
  notes: readonly RiskMark[];
  /** What `allow-always` could cover; none: it is impossible. */
  offers: readonly GrantOffer[];
  /** Why not, as the rest of a sentence. */
  noAlways?: string;
  /** Why no program can be trusted, likewise. */
  noProgramGrant?: string;
  /** When it was asked. */
  requestedAt: Time;
  /** When waiting ends. */
  expiresAt: Time;
  /** Nobody waits for the answer now: it is kept for whoever continues the session, or makes the same call again. */
  unattended?: true;
  /** The command that continues its session, where that is known. */
  resume?: string;
}

/** `POST /api/approvals/ID`: who asks has the role `act`. */
export interface AnswerGiven extends Pick<ApprovalAnswer, "grant" | "forMs"> {
  /** What is decided. */
  decision: ApprovalDecision;
}

/** What became of an answer. */
export interface AnswerHeard {
  /** Which request. */
  approvalId: string;
  /** What was decided. */
  decision: ApprovalDecision;
  /** `taken` by whoever asked; `kept` until somebody takes it; `late`: nobody took it after all. */
  heard: "taken" | "kept" | "late";
  /** In words. */
  said: string;
}

/** In `details` of the fault `APPROVAL_DECIDED` (409): somebody was first. */
export interface DecidedFirst {
  /** Which request. */
  approvalId: string;
  /** What became of it, as far as that is known. */
  state: ApprovalState | "unknown";
  /** What was decided, and by whom: `inspector (this page, 12 s ago)`; where that is known. */
  decision?: ApprovalDecision;
  /** Who decided. */
  by?: string;
  /** When. */
  at?: Time;
}

/** `GET /api/approvals`. */
export interface Approvals {
  /** Those that wait, oldest first. */
  waiting: readonly Approval[];
  /** What was allowed for good. */
  grants: readonly ApprovalGrant[];
}
