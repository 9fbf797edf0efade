import type { EffectReceipt, ErrorCategory } from "./errors.ts";
import type { CallSubjects, ConsentNeeded } from "./plan.ts";
import type { Decision, Sender, SessionFacts, ToolFacts } from "./policy-port.ts";
import type { ContentBlock, ToolOutcome, ToolResult } from "./result.ts";

/** One call, from the moment the kernel heard of it. Times are milliseconds since the epoch. */
export interface ToolMeta {
  /** The id of the call, unique in its session, and in all of its run. */
  readonly toolCallId: string;
  /** The id it came with and is answered under, where that is another: an old one of before a resume, used again. */
  readonly answeredAs?: string | undefined;
  /** The canonical name; the name as received when no tool has it. */
  toolName: string;
  /** Canonical and valid once the call got that far; as received before. */
  args: unknown;
  /** Where it stands; the last two are final. */
  status: "pending" | "executing" | "completed" | "failed";
  /** What the model was given. `elided`, like `args`, when the ledger's budget is spent on newer calls. */
  result?: Pick<ToolResult, "content" | "details"> | { elided: true } | undefined;
  /** When the kernel heard of it. */
  readonly createdAt: number;
  /** When the tool's code was entered. */
  startedAt?: number | undefined;
  /** When it ended. */
  endedAt?: number | undefined;
  /** How it ended. */
  outcome?: ToolOutcome["kind"] | undefined;
  /** Code of an outcome that is not `ok`. */
  code?: string | undefined;
  /** The policy decision the call ran (or did not run) under. */
  decisionId?: string | undefined;
  /** An earlier call with the same tool and arguments. */
  duplicateOf?: string | undefined;
  /** The call of another tool that made this one. */
  parentCallId?: string | undefined;
  /** What it left behind. */
  receipt?: EffectReceipt | undefined;
  /** Who decided about it, where somebody was asked and said who they are. */
  decidedBy?: string | undefined;
  /** What was allowed before and let it through without anybody being asked. */
  grantIds?: readonly string[] | undefined;
  /** Hosts it contacted through its context, in the order of first contact; at most 64. */
  hosts?: readonly string[] | undefined;
}

// What a host keeps of its sessions beyond its process. Plain JSON all of it: one schema for the ledger, for audit
// logs, and for whoever decides about a call again.

/** How much of its calls a host keeps. `plan`: what was decided about, and of results a head. `none`: how they ended. */
export type RecordMode = "plan" | "full" | "none";

/** The process that has a run. */
export interface RunHolder {
  /** The name of its machine. */
  host: string;
  /** Its process, and when that started in a unit of the system: no later process of the same number is taken for it. */
  pid: number;
  started: number;
  /** The start of the machine's system that it lives in, where that can be told. */
  boot?: string;
}

/** One opening of a session, and all that continued it. Times are milliseconds since the epoch. */
export interface RunRecord {
  /** Sorts by the time of opening; letters and digits. */
  readonly runId: string;
  readonly sessionKey: string;
  /** Who was calling, as policy knew it. */
  readonly facts: SessionFacts;
  /** Where its tools acted. */
  readonly workspace: { readonly place: string; readonly cwd: string };
  readonly mode: RecordMode;
  readonly openedAt: number;
  /** How often it was opened: 1, and one more for each resume. Fences what an earlier holder still does. */
  readonly epoch: number;
  /** Who has it, since when; absent when nobody does. */
  readonly heldBy?: RunHolder & { readonly since: number };
  /** When it was closed in order; absent while it is held, and when its holder died. */
  readonly closedAt?: number;
}

/** What is left of a result, or of a long text of arguments and plans, where not all of it is kept. */
export interface ResultHead {
  /** In UTF-8; of a result, of its content and details as JSON. */
  readonly bytes: number;
  /** Hexadecimal, of the same. */
  readonly sha256: string;
  /** The first 2,000 characters of its text, secrets covered. */
  readonly head: string;
}

/** The rule that decided, as the decision's trace has it. */
export interface DecidedBy extends Pick<Decision, "effect" | "id" | "reason"> {
  readonly layer?: string;
  readonly rule?: string;
  readonly source?: string;
}

/** One call as it is kept. What is absent was not known, or is not kept: nothing may be concluded from that. */
export interface CallRecord {
  /** Its place in the run, from 1, without gaps. */
  readonly seq: number;
  /** Unique in its run: `ID#2` for a second use of an id after a resume. */
  readonly toolCallId: string;
  /** The id it came with, where that is another. */
  readonly answeredAs?: string;
  /** The opening it was made in. */
  readonly epoch: number;
  /** The canonical name; the name as received when no tool has it. */
  readonly toolName: string;
  /** `gap`: no call, but a time from which records of calls that only read may be missing. */
  readonly status: "pending" | "executing" | "completed" | "failed" | "gap";
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly outcome?: ToolOutcome["kind"];
  readonly code?: string;
  /** With the outcome `error`. */
  readonly category?: ErrorCategory;
  readonly receipt?: EffectReceipt;
  /**
   * Canonical, known secrets covered; whole (`argsWhole`) while it waits for a decision. In the mode `plan`, and so in
   * {@link plan}, a text of more than 16,000 characters is a {@link ResultHead}, and what is beyond 100,000 characters in all
   * is `{ elided: true }`.
   */
  readonly args?: unknown;
  readonly argsWhole?: true;
  /** Name and arguments as they came, while it waits for a decision: from these it is made again after a resume. */
  readonly received?: { readonly name: string; readonly arguments?: unknown };
  /** Digest of the arguments as they came: whether a redelivery is one. */
  readonly argsDigest?: string;
  /** Identity for duplicates and loops, and of its result: digests, kept in every mode. */
  readonly key?: string;
  readonly fingerprint?: string;
  /** For the loop guard: it only looks whether something has changed; it can change things. */
  readonly poll?: true;
  readonly changes?: true;
  /** As policy knew it, without its parameters. */
  readonly tool?: Omit<ToolFacts, "parameters">;
  /** Whose message it answered, where that is not the session's. */
  readonly sender?: Sender | "system";
  readonly decision?: DecidedBy;
  readonly plan?: {
    readonly subjects?: CallSubjects;
    readonly consent?: readonly ConsentNeeded[];
    readonly binding?: string;
  };
  /** The whole result, known secrets covered, or what is left of it. */
  readonly result?: { readonly content: readonly ContentBlock[]; readonly details: unknown } | ResultHead;
  readonly duplicateOf?: string;
  readonly parentCallId?: string;
  readonly approvalId?: string;
  readonly decidedBy?: string;
  readonly grantIds?: readonly string[];
  readonly hosts?: readonly string[];
  /** It ran after a resume, by an answer that was given meanwhile. */
  readonly resumed?: true;
}

/** What a resumed session needs at once of its calls: 10,000 of them in less than 50 ms. */
export type PastCall = Omit<
  CallRecord,
  "args" | "received" | "tool" | "sender" | "decision" | "plan" | "result" | "hosts" | "grantIds"
>;

/** The right to act for a run. One process at a time has it. */
export interface Lease {
  readonly epoch: number;
  /** Last thing before an effect. Costs a few microseconds. @throws HaftError `SESSION_LEASE_LOST`, with the receipt `none` */
  check(): void;
  /**
   * When no effect may begin any more, in milliseconds of a clock of this machine that also counts sleep (`os.uptime`);
   * `Infinity` where nobody can take it.
   */
  readonly endsAt: number;
  /** Aborts when it is lost. */
  readonly lost: AbortSignal;
}

/** Says whether an effect may still begin: of a {@link Lease}, what the places need in which effects happen. */
export type Fence = Pick<Lease, "check" | "endsAt">;

/** A run that is held. */
export interface LedgerRun {
  readonly record: RunRecord;
  /** Calls of earlier openings, in order; none in a new run. Those an earlier holder left executing have failed here. */
  readonly past: readonly PastCall[];
  readonly lease: Lease;
  /**
   * Keeps calls as they now stand, each whole and instead of what was kept of it. All or none, and safe from the death
   * of any process when it returns, or resolves.
   *
   * @throws HaftError `LEDGER_UNAVAILABLE`, `SESSION_LEASE_LOST`
   */
  write(calls: readonly CallRecord[]): void | Promise<void>;
  /** The whole record of one. */
  read(toolCallId: string): Promise<CallRecord | undefined>;
  /** Ends it in order, and lets others have it. */
  close(): Promise<void>;
}

/** What a run is opened with. */
export interface RunOpening extends Pick<RunRecord, "sessionKey" | "facts" | "workspace" | "mode"> {
  /** Continues a run: this one, or with `true` the latest of its agent and session (a new one, where there is none). */
  readonly resume?: string | true;
  /** Waits for the lease of whoever has it to end, instead of `SESSION_HELD`. */
  readonly takeOver?: boolean;
  /** Ends that waiting. */
  readonly signal?: AbortSignal;
}

/** Which calls; all that is given must fit. */
export interface CallQuery {
  readonly sessionKey?: string;
  readonly runId?: string;
  readonly toolName?: string;
  readonly status?: CallRecord["status"];
  readonly outcome?: ToolOutcome["kind"];
  /** Milliseconds since the epoch: heard of at this time or later; before this time. */
  readonly since?: number;
  readonly until?: number;
  /** A file or folder that its plan names, as the workspace spells it, or something below. */
  readonly path?: string;
  /** At most so many. Default 100; at most 1,000. */
  readonly limit?: number;
  /** Where the page before ended (`next`). */
  readonly after?: string;
  /** Default: the newest first. */
  readonly order?: "oldest" | "newest";
}

/** A part of a longer list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** For the next page; absent at the end. */
  readonly next?: string;
}

/** Keeps the ledgers of a host's sessions. */
export interface LedgerStore {
  /**
   * Begins a run, or continues one.
   *
   * @throws HaftError `SESSION_HELD` (by whom, since when), `RUN_NOT_FOUND`, `LEDGER_UNAVAILABLE`
   */
  open(opening: RunOpening): Promise<LedgerRun>;
  /** The newest first. */
  runs(query?: { sessionKey?: string; limit?: number; after?: string }): Promise<Page<RunRecord>>;
  calls(
    query: CallQuery,
  ): Promise<Page<CallRecord & { readonly runId: string; readonly sessionKey: string }>>;
  run(runId: string): Promise<RunRecord | undefined>;
  call(runId: string, toolCallId: string): Promise<CallRecord | undefined>;
  /**
   * Removes runs that nobody has, with all of their calls but those that wait for a decision. Answers how many calls.
   */
  forget(which: { runId: string } | { sessionKey: string } | { before: number }): Promise<number>;
  close(): Promise<void>;
}
