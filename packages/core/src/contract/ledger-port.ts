import type { EffectReceipt, ErrorCategory } from "./errors.ts";
import type { CallSubjects, RequiredConsent } from "./plan.ts";
import type { Decision, Sender, SessionFacts, ToolFacts } from "./policy-port.ts";
import type { ContentBlock, ToolOutcome, ToolResult } from "./result.ts";

/** Describes a received call. Times are epoch milliseconds. */
export interface ToolMeta {
  /** Identifies the call in its session and run. */
  readonly toolCallId: string;
  /** Contains the caller's id, if it was used again after a resume. */
  readonly answeredAs?: string | undefined;
  /** Names the tool: canonical, or as received if unknown. */
  toolName: string;
  /** Contains the arguments: canonical once checked, otherwise as received. */
  args: unknown;
  /** States the progress. `completed` and `failed` are final. */
  status: "pending" | "executing" | "completed" | "failed";
  /** Contains the result. Like `args`, it is `elided` if newer calls use up the budget. */
  result?: Pick<ToolResult, "content" | "details"> | { elided: true } | undefined;
  /** States when the kernel received the call. */
  readonly createdAt: number;
  /** States when the tool's code began. */
  startedAt?: number | undefined;
  /** States when the call ended. */
  endedAt?: number | undefined;
  /** Classifies the outcome. */
  outcome?: ToolOutcome["kind"] | undefined;
  /** Identifies the reason, unless `ok`. */
  code?: string | undefined;
  /** Identifies the policy decision. */
  decisionId?: string | undefined;
  /** Identifies an earlier equal call. */
  duplicateOf?: string | undefined;
  /** Identifies the parent call. */
  parentCallId?: string | undefined;
  /** Says whether the call changed anything. */
  receipt?: EffectReceipt | undefined;
  /** Names the decider, if known. */
  decidedBy?: string | undefined;
  /** Identifies the grants that allowed the call. */
  grantIds?: readonly string[] | undefined;
  /** Lists at most 64 contacted hosts. */
  hosts?: readonly string[] | undefined;
}

// Ledger, audit log and re-evaluation share this JSON.

/** Limits the stored part of calls: everything (`full`), decision and head of the result (`plan`), or only the outcome. */
export type RecordMode = "plan" | "full" | "none";

/** Describes the process that holds a run. */
export interface RunHolder {
  /** Names its machine. */
  host: string;
  /** Contains its process id. */
  pid: number;
  /** States when it started, in a system unit. */
  started: number;
  /** Identifies the boot of its machine, if known. */
  boot?: string;
}

/** Describes a session through all resumes. Times are epoch milliseconds. */
export interface RunRecord {
  /** Identifies the run: letters and digits, sorted by opening time. */
  readonly runId: string;
  /** Identifies the conversation. */
  readonly sessionKey: string;
  /** Contains the facts that policy used. */
  readonly facts: SessionFacts;
  /** Locates the workspace. */
  readonly workspace: { readonly place: string; readonly cwd: string };
  /** Limits the stored part of its calls. */
  readonly mode: RecordMode;
  /** Contains the opening command line. */
  readonly openedWith?: readonly string[];
  /** States when the run was first opened. */
  readonly openedAt: number;
  /** Counts the openings, from 1. A store rejects earlier epochs. */
  readonly epoch: number;
  /** Describes the holder, if any, and since when. */
  readonly heldBy?: RunHolder & { readonly since: number };
  /** States when it was closed; absent if its holder died. */
  readonly closedAt?: number;
}

/** Replaces a result or long text that is not stored in full. */
export interface ResultHead {
  /** Counts the UTF-8 bytes of the full text, or of content and details as JSON. */
  readonly bytes: number;
  /** Contains their SHA-256, in hexadecimal. */
  readonly sha256: string;
  /** Contains the first 2,000 characters, with secrets masked. */
  readonly head: string;
  /** Contains the last 1,000 characters of a longer text, with secrets masked. */
  readonly tail?: string;
  /** Contains short values of the details of a result, such as the exit code. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Names the rule that decided, as in the trace. */
export interface DecidedBy extends Pick<Decision, "effect" | "id" | "reason"> {
  /** Names the layer: `deny`, `approval`, `consent` … */
  readonly layer?: string;
  /** Describes the rule in words. */
  readonly rule?: string;
  /** Names file and key of the rule. */
  readonly source?: string;
}

/** Describes a stored call. A missing field proves nothing. */
export interface CallRecord {
  /** Numbers the call in its run, from 1, without gaps. */
  readonly seq: number;
  /** Identifies the call in its run: `ID#2` if a resume reuses an id. */
  readonly toolCallId: string;
  /** Contains the caller's id, if it differs. */
  readonly answeredAs?: string;
  /** Numbers the opening of the run. */
  readonly epoch: number;
  /** Names the tool: canonical, or as received if unknown. */
  readonly toolName: string;
  /** States the progress. From a `gap` on, records of reads may be missing. */
  readonly status: "pending" | "executing" | "completed" | "failed" | "gap";
  /** States when the kernel received the call. */
  readonly createdAt: number;
  /** States when its tool began, or was about to. */
  readonly startedAt?: number;
  /** States when the call ended. */
  readonly endedAt?: number;
  /** Classifies the outcome. */
  readonly outcome?: ToolOutcome["kind"];
  /** Identifies the reason, unless `ok`. */
  readonly code?: string;
  /** Classifies an outcome `error`. */
  readonly category?: ErrorCategory;
  /** Says whether the call changed anything. */
  readonly receipt?: EffectReceipt;
  /**
   * Contains canonical arguments, with known secrets masked; complete (`argsWhole`) while the call waits for a decision. In the mode
   * `plan`, also for {@link plan}, a text over 16,000 characters is a {@link ResultHead}, and the part beyond 100,000 characters in all is
   * `{ elided: true }`.
   */
  readonly args?: unknown;
  /** Is set if nothing in arguments and plan is masked or cut. */
  readonly argsWhole?: true;
  /** Contains the received call while it waits, for a resume. */
  readonly received?: { readonly name: string; readonly arguments?: unknown };
  /** Contains the digest of the received arguments, to recognize a redelivery. */
  readonly argsDigest?: string;
  /** Identifies the call for duplicates and loops: a digest, stored in every record mode. */
  readonly key?: string;
  /** Identifies the result in the same way. */
  readonly fingerprint?: string;
  /** Is set if the call may repeat, as a poll. */
  readonly poll?: true;
  /** Is set if its tool can change something. */
  readonly changes?: true;
  /** Describes the tool for policy, without its parameters. */
  readonly tool?: Omit<ToolFacts, "parameters">;
  /** Identifies the sender, unless it is the session's. */
  readonly sender?: Sender | "system";
  /** Contains the policy decision. */
  readonly decision?: DecidedBy;
  /** Contains the plan, if needed: subjects, consent and binding. */
  readonly plan?: {
    readonly subjects?: CallSubjects;
    readonly consent?: readonly RequiredConsent[];
    readonly binding?: string;
  };
  /** Contains the complete result, with secrets masked, or its head. */
  readonly result?: { readonly content: readonly ContentBlock[]; readonly details: unknown } | ResultHead;
  /** Identifies an earlier equal call. */
  readonly duplicateOf?: string;
  /** Identifies the parent call. */
  readonly parentCallId?: string;
  /** Identifies the approval request. */
  readonly approvalId?: string;
  /** Names the decider, if known. */
  readonly decidedBy?: string;
  /** Identifies the grants that allowed the call. */
  readonly grantIds?: readonly string[];
  /** Lists at most 64 contacted hosts. */
  readonly hosts?: readonly string[];
  /** Is set if the call waited across a resume. */
  readonly resumed?: true;
}

/** Describes a past call for a resumed session. */
export type PastCall = Omit<
  CallRecord,
  "args" | "received" | "tool" | "sender" | "decision" | "plan" | "result" | "hosts" | "grantIds"
>;

/** Permits one process to act for a run. */
export interface Lease {
  /** Numbers the opening of the lease. */
  readonly epoch: number;
  /**
   * Checks the lease before an effect, in microseconds.
   *
   * @throws HaftError `SESSION_LEASE_LOST`, with the receipt `none`
   */
  check(): void;
  /** Ends all effects, in milliseconds of `os.uptime`, which counts sleep. `Infinity` if the lease cannot be taken. */
  readonly endsAt: number;
  /** Aborts when the lease is lost. */
  readonly lost: AbortSignal;
}

/** Contains the part of a {@link Lease} that permits an effect. */
export type Fence = Pick<Lease, "check" | "endsAt">;

/** Gives access to a run of this process. */
export interface LedgerRun {
  /** Describes the run at its opening. */
  readonly record: RunRecord;
  /** Lists the calls of earlier openings, in order. Interrupted calls have failed. */
  readonly past: readonly PastCall[];
  /** Permits this process to act for the run. */
  readonly lease: Lease;
  /**
   * Stores the current state of calls, all or none, so that it survives the death of any process.
   *
   * @throws HaftError `LEDGER_UNAVAILABLE`, `SESSION_LEASE_LOST`
   */
  write(calls: readonly CallRecord[]): void | Promise<void>;
  /** Returns the complete record of a call, or `undefined`. */
  read(toolCallId: string): Promise<CallRecord | undefined>;
  /** Closes the run and releases the lease. */
  close(): Promise<void>;
}

/** Selects the run to open. */
export interface RunOpening extends Pick<RunRecord, "sessionKey" | "facts" | "workspace" | "mode"> {
  /** Contains the command line of this opening. */
  readonly openedWith?: readonly string[];
  /** Selects the run to resume. `true`: the latest of its agent and session, or a new run. */
  readonly resume?: string | true;
  /** Waits for the end of another lease, instead of `SESSION_HELD`. */
  readonly takeOver?: boolean;
  /** Ends the wait of `takeOver`. */
  readonly signal?: AbortSignal;
  /** Identifies a new run, unless the id is taken. */
  readonly runId?: string;
}

/**
 * Selects calls that meet all given conditions.
 *
 * @example
 * ```ts
 * import type { CallQuery } from "@haft/core/kernel";
 *
 * // What changed a file, oldest first.
 * const query: CallQuery = { toolName: "write", path: "/workspace/src/main.ts", outcome: "ok", order: "oldest" };
 * ```
 */
export interface CallQuery {
  /** Selects a conversation. */
  readonly sessionKey?: string;
  /** Selects a run. */
  readonly runId?: string;
  /** Selects a tool by its canonical name. */
  readonly toolName?: string;
  /** Selects a status. */
  readonly status?: CallRecord["status"];
  /** Selects a kind of outcome. */
  readonly outcome?: ToolOutcome["kind"];
  /** Selects calls from this time on, in epoch milliseconds. */
  readonly since?: number;
  /** Selects calls received before this time, in epoch milliseconds. */
  readonly until?: number;
  /** Selects calls whose plan names this path of the workspace, or a path below. */
  readonly path?: string;
  /** Selects an inclusive range of `seq` in the run of `runId`. */
  readonly seqRange?: readonly [first: number, last: number];
  /** Limits a page. Default 100; at most 1,000. */
  readonly limit?: number;
  /** Continues after the previous page: its `next`. */
  readonly after?: string;
  /** Orders the calls. Default: newest first. */
  readonly order?: "oldest" | "newest";
}

/** Contains one page of a longer list. */
export interface Page<T> {
  /** Contains the items of this page. */
  readonly items: readonly T[];
  /** Selects the next page. Absent on the last page. */
  readonly next?: string;
}

/**
 * Stores the ledgers of a host's sessions.
 *
 * @example
 * ```ts
 * import type { LedgerStore } from "@haft/core/kernel";
 *
 * // Names what failed in the last 24 hours.
 * export async function listFailures(store: LedgerStore): Promise<string[]> {
 *   const { items } = await store.calls({ outcome: "error", since: Date.now() - 24 * 3_600_000 });
 *   return items.map(({ sessionKey, toolName, code }) => `${sessionKey}: ${toolName} ${code}`);
 * }
 * ```
 */
export interface LedgerStore {
  /**
   * Opens a new run, or resumes one.
   *
   * @throws HaftError `SESSION_HELD` (with holder and time), `RUN_NOT_FOUND`, `LEDGER_UNAVAILABLE`
   */
  open(opening: RunOpening): Promise<LedgerRun>;
  /** Returns runs, newest first. */
  runs(query?: { sessionKey?: string; limit?: number; after?: string }): Promise<Page<RunRecord>>;
  /**
   * Returns the calls of all runs that match a query.
   *
   * @throws HaftError `INVALID_OPTIONS`
   */
  calls(
    query: CallQuery,
  ): Promise<Page<CallRecord & { readonly runId: string; readonly sessionKey: string }>>;
  /** Returns a run, or `undefined`. */
  run(runId: string): Promise<RunRecord | undefined>;
  /** Returns the complete record of a call, or `undefined`. */
  call(runId: string, toolCallId: string): Promise<CallRecord | undefined>;
  /** Deletes runs without a holder and their calls, except waiting calls. Resolves to the number of deleted calls. */
  forget(which: { runId: string } | { sessionKey: string } | { before: number }): Promise<number>;
  /** Closes the store. */
  close(): Promise<void>;
}
