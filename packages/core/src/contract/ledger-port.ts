import type { EffectReceipt, ErrorCategory } from "./errors.ts";
import type { CallSubjects, RequiredConsent } from "./plan.ts";
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

// What a host keeps of its sessions beyond its process. Plain JSON, one schema: for ledger, audit logs and deciding again.

/** How much of its calls a host keeps. `plan`: what was decided about, and of results a head. `none`: how they ended. */
export type RecordMode = "plan" | "full" | "none";

/** The process that has a run. */
export interface RunHolder {
  /** The name of its machine. */
  host: string;
  /** Its process. */
  pid: number;
  /** When that started, in a unit of the system: no later process of the same number is taken for it. */
  started: number;
  /** The start of the machine's system that it lives in, where that can be told. */
  boot?: string;
}

/** One opening of a session, and all that continued it. Times are milliseconds since the epoch. */
export interface RunRecord {
  /** Sorts by the time of opening; letters and digits. */
  readonly runId: string;
  /** The conversation it belongs to. */
  readonly sessionKey: string;
  /** Who was calling, as policy knew it. */
  readonly facts: SessionFacts;
  /** Where its tools acted. */
  readonly workspace: { readonly place: string; readonly cwd: string };
  /** How much of its calls is kept. */
  readonly mode: RecordMode;
  /** Words of the command line that opened it, for whoever says how it is continued: the program's command, perhaps, and its options. */
  readonly openedWith?: readonly string[];
  /** When it was opened first. */
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
  /** Which layer: `deny`, `approval`, `consent` … */
  readonly layer?: string;
  /** The rule in words. */
  readonly rule?: string;
  /** Where it stands. */
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
  /** When the kernel heard of it. */
  readonly createdAt: number;
  /** When its tool was entered, or was about to be. */
  readonly startedAt?: number;
  /** When it ended. */
  readonly endedAt?: number;
  /** How it ended. */
  readonly outcome?: ToolOutcome["kind"];
  /** Of an outcome that is not `ok`. */
  readonly code?: string;
  /** With the outcome `error`. */
  readonly category?: ErrorCategory;
  /** What it left behind. */
  readonly receipt?: EffectReceipt;
  /**
   * Canonical, known secrets covered; whole (`argsWhole`) while it waits for a decision. In the mode `plan`, and so in
   * {@link plan}, a text of more than 16,000 characters is a {@link ResultHead}, and what is beyond 100,000 characters in all
   * is `{ elided: true }`.
   */
  readonly args?: unknown;
  /** Nothing in arguments and plan is covered or cut. */
  readonly argsWhole?: true;
  /** Name and arguments as they came, while it waits for a decision: from these it is made again after a resume. */
  readonly received?: { readonly name: string; readonly arguments?: unknown };
  /** Digest of the arguments as they came: whether a redelivery is one. */
  readonly argsDigest?: string;
  /** Identity for duplicates and loops: a digest, kept in every mode. */
  readonly key?: string;
  /** The same of its result. */
  readonly fingerprint?: string;
  /** It only looks whether something has changed, and is made to be repeated. */
  readonly poll?: true;
  /** Its tool can change things. */
  readonly changes?: true;
  /** As policy knew it, without its parameters. */
  readonly tool?: Omit<ToolFacts, "parameters">;
  /** Whose message it answered, where that is not the session's. */
  readonly sender?: Sender | "system";
  /** What policy said to it. */
  readonly decision?: DecidedBy;
  /** What it would do, where somebody needed to know: what rules looked at, what needed consent, and what it was tied to. */
  readonly plan?: {
    readonly subjects?: CallSubjects;
    readonly consent?: readonly RequiredConsent[];
    readonly binding?: string;
  };
  /** The whole result, known secrets covered, or what is left of it. */
  readonly result?: { readonly content: readonly ContentBlock[]; readonly details: unknown } | ResultHead;
  /** An earlier call with the same tool and arguments. */
  readonly duplicateOf?: string;
  /** The call of another tool that made this one. */
  readonly parentCallId?: string;
  /** The request that it waits for, or waited for. */
  readonly approvalId?: string;
  /** Who answered that, where they said so. */
  readonly decidedBy?: string;
  /** What was allowed before and let it through. */
  readonly grantIds?: readonly string[];
  /** Hosts it contacted through its context; at most 64. */
  readonly hosts?: readonly string[];
  /** It waited for a decision when its run was left, and went on after a resume. */
  readonly resumed?: true;
}

/** What a resumed session needs at once of its calls: 10,000 of them in less than 50 ms. */
export type PastCall = Omit<
  CallRecord,
  "args" | "received" | "tool" | "sender" | "decision" | "plan" | "result" | "hosts" | "grantIds"
>;

/** The right to act for a run. One process at a time has it. */
export interface Lease {
  /** Of the opening it was given for. */
  readonly epoch: number;
  /** Last thing before an effect. Costs a few microseconds. @throws HaftError `SESSION_LEASE_LOST`, with the receipt `none` */
  check(): void;
  /** When effects must stop, on a clock that counts sleep (`os.uptime`), in milliseconds. `Infinity` if nobody can take it. */
  readonly endsAt: number;
  /** Aborts when it is lost. */
  readonly lost: AbortSignal;
}

/** Says whether an effect may still begin: of a {@link Lease}, what the places need in which effects happen. */
export type Fence = Pick<Lease, "check" | "endsAt">;

/** A run that is held. */
export interface LedgerRun {
  /** As it was opened. */
  readonly record: RunRecord;
  /** Calls of earlier openings, in order; none in a new run. Those an earlier holder left executing have failed here. */
  readonly past: readonly PastCall[];
  /** The right to act for it. */
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
  /** Kept with the run, and of each opening anew. */
  readonly openedWith?: readonly string[];
  /** Continues a run: this one, or with `true` the latest of its agent and session (a new one, where there is none). */
  readonly resume?: string | true;
  /** Waits for the lease of whoever has it to end, instead of `SESSION_HELD`. */
  readonly takeOver?: boolean;
  /** Ends that waiting. */
  readonly signal?: AbortSignal;
  /** The id of a new run: tools know the session by it before the run is opened. A store chooses another one where it is taken. */
  readonly runId?: string;
}

/** Which calls; all that is given must fit. */
export interface CallQuery {
  /** Of this conversation. */
  readonly sessionKey?: string;
  /** Of this run. */
  readonly runId?: string;
  /** Of this tool, by its canonical name. */
  readonly toolName?: string;
  /** Where it stands. */
  readonly status?: CallRecord["status"];
  /** How it ended. */
  readonly outcome?: ToolOutcome["kind"];
  /** Heard of at this time or later, in milliseconds since the epoch. */
  readonly since?: number;
  /** Heard of before this time. */
  readonly until?: number;
  /** A file or folder that its plan names, as the workspace spells it, or something below. */
  readonly path?: string;
  /** Of the run that is named, from this place (`seq`) to that one, both included: anywhere in a long run at once. */
  readonly seqRange?: readonly [first: number, last: number];
  /** At most so many. Default 100; at most 1,000. */
  readonly limit?: number;
  /** Where the page before ended (`next`). */
  readonly after?: string;
  /** Default: the newest first. */
  readonly order?: "oldest" | "newest";
}

/** A part of a longer list. */
export interface Page<T> {
  /** What is on it. */
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
  /** Calls of all runs that fit. @throws HaftError `INVALID_OPTIONS` */
  calls(
    query: CallQuery,
  ): Promise<Page<CallRecord & { readonly runId: string; readonly sessionKey: string }>>;
  /** One run; `undefined` where there is none. */
  run(runId: string): Promise<RunRecord | undefined>;
  /** One call, whole; `undefined` where there is none. */
  call(runId: string, toolCallId: string): Promise<CallRecord | undefined>;
  /** Removes runs that nobody has, with all of their calls but those that wait for a decision. Answers how many calls. */
  forget(which: { runId: string } | { sessionKey: string } | { before: number }): Promise<number>;
  /** Ends it: nothing is kept any more. */
  close(): Promise<void>;
}
