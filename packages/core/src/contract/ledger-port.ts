import type { EffectReceipt, ErrorCategory } from "./errors.ts";
import type { CallSubjects, RequiredConsent } from "./plan.ts";
import type { Decision, Sender, SessionFacts, ToolFacts } from "./policy-port.ts";
import type { ContentBlock, ToolOutcome, ToolResult } from "./result.ts";

/** One call, from the moment the kernel receives it. Times are milliseconds since the epoch. */
export interface ToolMeta {
  /** The id of the call, unique in its session and in its run. */
  readonly toolCallId: string;
  /**
   * The id under which the call came and is answered, if that is another one: an id from before a resume that was used
   * again.
   */
  readonly answeredAs?: string | undefined;
  /** The canonical name of the tool, or the name as received if no tool has it. */
  toolName: string;
  /** The arguments: canonical and valid once they are checked, before that as received. */
  args: unknown;
  /** The state of the call. `completed` and `failed` are final. */
  status: "pending" | "executing" | "completed" | "failed";
  /** What the model got. Like `args` it is `elided` when newer calls use up the budget of the ledger. */
  result?: Pick<ToolResult, "content" | "details"> | { elided: true } | undefined;
  /** When the kernel received the call. */
  readonly createdAt: number;
  /** When the tool's code began. */
  startedAt?: number | undefined;
  /** When the call ended. */
  endedAt?: number | undefined;
  /** The kind of its outcome. */
  outcome?: ToolOutcome["kind"] | undefined;
  /** The code of an outcome other than `ok`. */
  code?: string | undefined;
  /** The id of the policy decision that allowed or stopped the call. */
  decisionId?: string | undefined;
  /** The id of an earlier call with the same tool and arguments. */
  duplicateOf?: string | undefined;
  /** The id of the call whose tool made this call. */
  parentCallId?: string | undefined;
  /** What the call left behind. */
  receipt?: EffectReceipt | undefined;
  /** The person or program that decided about the call, if somebody was asked and the answer named it. */
  decidedBy?: string | undefined;
  /** The grants that let the call through without a question. */
  grantIds?: readonly string[] | undefined;
  /** Hosts that the call contacted through its context, in the order of first contact; at most 64. */
  hosts?: readonly string[] | undefined;
}

// What a host keeps of its sessions beyond its process. Plain JSON, one schema: for ledger, audit logs and deciding again.

/**
 * How much of each call is stored. `full`: everything. `plan`: the decision, and the head of the result. `none`: only how
 * it ended.
 */
export type RecordMode = "plan" | "full" | "none";

/** The process that holds a run. */
export interface RunHolder {
  /** The host name of its machine. */
  host: string;
  /** The process id. */
  pid: number;
  /** When the process started, in a unit of the system. It distinguishes a later process with the same id. */
  started: number;
  /** The id of the boot of its machine, if that is known. */
  boot?: string;
}

/** A session, from its first opening through all that continued it. Times are milliseconds since the epoch. */
export interface RunRecord {
  /** The id of the run: letters and digits, which sort by the time of opening. */
  readonly runId: string;
  /** The conversation it belongs to. */
  readonly sessionKey: string;
  /** The facts of the session that policy used. */
  readonly facts: SessionFacts;
  /** Where its tools acted. */
  readonly workspace: { readonly place: string; readonly cwd: string };
  /** How much of its calls is stored. */
  readonly mode: RecordMode;
  /** The command line that opened the run, for a message that says how to continue it. */
  readonly openedWith?: readonly string[];
  /** When the run was first opened. */
  readonly openedAt: number;
  /** How often the run was opened: 1, plus 1 for each resume. A store rejects writes of an earlier epoch. */
  readonly epoch: number;
  /** The process that holds the run, and since when; absent if none does. */
  readonly heldBy?: RunHolder & { readonly since: number };
  /** When the run was closed in order; absent while it is held, and if its holder died. */
  readonly closedAt?: number;
}

/** The head of a result, or of a long text in arguments and plans, if the rest is not stored. */
export interface ResultHead {
  /** The full size in bytes of UTF-8; for a result, of its content and details as JSON. */
  readonly bytes: number;
  /** The SHA-256 of the same bytes, in hexadecimal. */
  readonly sha256: string;
  /** The first 2,000 characters of the text, with secrets covered. */
  readonly head: string;
}

/** The rule that decided, as the trace of the decision has it. */
export interface DecidedBy extends Pick<Decision, "effect" | "id" | "reason"> {
  /** The layer of the rule: `deny`, `approval`, `consent` … */
  readonly layer?: string;
  /** The rule in words. */
  readonly rule?: string;
  /** The file and key of the rule. */
  readonly source?: string;
}

/** One call as a store has it. A missing field was unknown or is not stored; it proves nothing. */
export interface CallRecord {
  /** The number of the call in its run, from 1, without gaps. */
  readonly seq: number;
  /** The id of the call, unique in its run: `ID#2` for the second use of an id after a resume. */
  readonly toolCallId: string;
  /** The id under which the call came, if that is another one. */
  readonly answeredAs?: string;
  /** The opening of the run in which the call was made. */
  readonly epoch: number;
  /** The canonical name of the tool, or the name as received if no tool has it. */
  readonly toolName: string;
  /** The state of the call. `gap` is no call, but a time from which records of reading calls may be missing. */
  readonly status: "pending" | "executing" | "completed" | "failed" | "gap";
  /** When the kernel received the call. */
  readonly createdAt: number;
  /** When its tool began, or was about to. */
  readonly startedAt?: number;
  /** When the call ended. */
  readonly endedAt?: number;
  /** The kind of its outcome. */
  readonly outcome?: ToolOutcome["kind"];
  /** The code of an outcome other than `ok`. */
  readonly code?: string;
  /** The category of an outcome `error`. */
  readonly category?: ErrorCategory;
  /** What the call left behind. */
  readonly receipt?: EffectReceipt;
  /**
   * Canonical arguments, with known secrets covered. They are complete (`argsWhole`) while the call waits for a decision.
   * With the record mode `plan`, and so in {@link plan}, a text of more than 16,000 characters is a {@link ResultHead}, and
   * what exceeds 100,000 characters in all is `{ elided: true }`.
   */
  readonly args?: unknown;
  /** Set if nothing in arguments and plan is covered or cut. */
  readonly argsWhole?: true;
  /** Name and arguments as received, while the call waits for a decision. A resume makes the call from them again. */
  readonly received?: { readonly name: string; readonly arguments?: unknown };
  /** The digest of the arguments as received. It shows whether a redelivered call is the same one. */
  readonly argsDigest?: string;
  /** The identity of the call for duplicates and loops: a digest, stored with every record mode. */
  readonly key?: string;
  /** The same kind of digest for the result. */
  readonly fingerprint?: string;
  /** Set if the call only checks for a change and is expected to repeat. */
  readonly poll?: true;
  /** Set if its tool can change something. */
  readonly changes?: true;
  /** The tool as policy knew it, without its parameters. */
  readonly tool?: Omit<ToolFacts, "parameters">;
  /** The sender of the message that the call answered, if it is not that of the session. */
  readonly sender?: Sender | "system";
  /** The decision of policy about the call. */
  readonly decision?: DecidedBy;
  /**
   * What the call would do, if a plan was needed: the subjects of rules, the consent it needed and the binding of its
   * approval.
   */
  readonly plan?: {
    readonly subjects?: CallSubjects;
    readonly consent?: readonly RequiredConsent[];
    readonly binding?: string;
  };
  /** The complete result with known secrets covered, or its head. */
  readonly result?: { readonly content: readonly ContentBlock[]; readonly details: unknown } | ResultHead;
  /** The id of an earlier call with the same tool and arguments. */
  readonly duplicateOf?: string;
  /** The id of the call whose tool made this call. */
  readonly parentCallId?: string;
  /** The id of the approval request of the call. */
  readonly approvalId?: string;
  /** The person or program that answered the request, if the answer named it. */
  readonly decidedBy?: string;
  /** The grants that let the call through. */
  readonly grantIds?: readonly string[];
  /** Hosts that the call contacted through its context; at most 64. */
  readonly hosts?: readonly string[];
  /** Set if the call waited for a decision when its run ended, and went on after a resume. */
  readonly resumed?: true;
}

/** The part of a record that a resumed session needs at once: 10,000 of them load in less than 50 ms. */
export type PastCall = Omit<
  CallRecord,
  "args" | "received" | "tool" | "sender" | "decision" | "plan" | "result" | "hosts" | "grantIds"
>;

/** The right to act for a run. One process at a time has it. */
export interface Lease {
  /** The opening that the lease belongs to. */
  readonly epoch: number;
  /**
   * Checks the lease right before an effect, in a few microseconds.
   *
   * @throws HaftError `SESSION_LEASE_LOST`, with the receipt `none`
   */
  check(): void;
  /**
   * When effects have to stop, in milliseconds of a clock that counts sleep (`os.uptime`). `Infinity` if nobody can take
   * the lease.
   */
  readonly endsAt: number;
  /** Aborts when the lease is lost. */
  readonly lost: AbortSignal;
}

/** The part of a {@link Lease} that shows whether an effect may still begin. */
export type Fence = Pick<Lease, "check" | "endsAt">;

/** A run that this process holds. */
export interface LedgerRun {
  /** The run as it was opened. */
  readonly record: RunRecord;
  /** Calls of earlier openings, in order; empty for a new run. Calls that an earlier holder left executing have failed here. */
  readonly past: readonly PastCall[];
  /** The right to act for the run. */
  readonly lease: Lease;
  /**
   * Stores calls in their current state; each replaces its earlier record. Either all are stored or none. When it returns,
   * or resolves, the records survive the death of any process.
   *
   * @throws HaftError `LEDGER_UNAVAILABLE`, `SESSION_LEASE_LOST`
   */
  write(calls: readonly CallRecord[]): void | Promise<void>;
  /** Returns the complete record of a call, or `undefined`. */
  read(toolCallId: string): Promise<CallRecord | undefined>;
  /** Closes the run in order and gives up the lease. */
  close(): Promise<void>;
}

/** Options for opening a run. */
export interface RunOpening extends Pick<RunRecord, "sessionKey" | "facts" | "workspace" | "mode"> {
  /** The command line of this opening. The store has that of the latest one. */
  readonly openedWith?: readonly string[];
  /** The run to continue: its id, or `true` for the latest run of its agent and session, or a new one if there is none. */
  readonly resume?: string | true;
  /** Whether to wait until the lease of another holder ends, instead of `SESSION_HELD`. */
  readonly takeOver?: boolean;
  /** Ends the waiting of `takeOver`. */
  readonly signal?: AbortSignal;
  /**
   * The id for a new run; tools know the session by it before the run is opened. A store chooses another one if this one is
   * taken.
   */
  readonly runId?: string;
}

/**
 * A query for calls. A call has to meet all conditions that are given.
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
  /** The conversation of the call. */
  readonly sessionKey?: string;
  /** The run of the call. */
  readonly runId?: string;
  /** The canonical name of the tool. */
  readonly toolName?: string;
  /** The state of the call. */
  readonly status?: CallRecord["status"];
  /** The kind of outcome. */
  readonly outcome?: ToolOutcome["kind"];
  /** The earliest time the kernel received the call, in milliseconds since the epoch. */
  readonly since?: number;
  /** The time before which the kernel received the call, in milliseconds since the epoch. */
  readonly until?: number;
  /** A file or folder, as the workspace spells it. Calls match if their plan names it or something below it. */
  readonly path?: string;
  /** The first and last `seq` in the run that is named, both included. */
  readonly seqRange?: readonly [first: number, last: number];
  /** The most calls of one page. Default 100; at most 1,000. */
  readonly limit?: number;
  /** The `next` of the previous page. */
  readonly after?: string;
  /** The order of the calls. Default: newest first. */
  readonly order?: "oldest" | "newest";
}

/** One page of a longer list. */
export interface Page<T> {
  /** The items of this page. */
  readonly items: readonly T[];
  /** The cursor for the next page; absent on the last one. */
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
   * Opens a new run, or continues one.
   *
   * @throws HaftError `SESSION_HELD` (by whom, since when), `RUN_NOT_FOUND`, `LEDGER_UNAVAILABLE`
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
  /** Returns a run, or `undefined` if there is none. */
  run(runId: string): Promise<RunRecord | undefined>;
  /** Returns the complete record of a call, or `undefined` if there is none. */
  call(runId: string, toolCallId: string): Promise<CallRecord | undefined>;
  /**
   * Deletes runs that no process holds, with all their calls except those that wait for a decision. Resolves to the number
   * of deleted calls.
   */
  forget(which: { runId: string } | { sessionKey: string } | { before: number }): Promise<number>;
  /** Closes the store. */
  close(): Promise<void>;
}
