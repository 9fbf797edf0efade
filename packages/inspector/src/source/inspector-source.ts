import type { CallExplanation, RewindReport } from "@haft/core/kernel";
import type {
  AgentCapabilities,
  InspectorInfo,
  DecisionRequest,
  DecisionResult,
  Approvals,
  CallDetail,
  CallTrace,
  CallListQuery,
  CallListPage,
  CellDetail,
  InspectorEvent,
  ListPage,
  Locations,
  Lint,
  PolicyEdit,
  PolicyFileText,
  PolicySave,
  PolicySaveResult,
  PolicyEditPreview,
  PolicyView,
  Process,
  ProcessActionResult,
  ProcessInput,
  ProcessOutputPage,
  ReplayRequest,
  ReplayLine,
  Run,
  RunComparison,
  Playground,
  PlaygroundDecision,
  PlaygroundRequest,
  PlaygroundCall,
  PlaygroundCallResult,
  TextPage,
  ToolsView,
  UndoRequest,
} from "../wire/api.ts";

/** An event of a source: one of the stream of the page, except the first one. */
export type SourceEvent = Exclude<InspectorEvent, { type: "hello" }>;

/** A part of a long text. */
export interface ByteRange {
  /** The first byte. */
  from: number;
  /** Largest number of bytes. */
  max: number;
  /** Milliseconds to wait for new output. */
  wait: number;
  /** Whether secrets are covered, also in output that is not recorded: for a token that only reads. */
  covered: boolean;
}

/** Identifies a call by its session and its id. */
export interface CallRef {
  /** The id of the session. */
  runId: string;
  /** The id of the call in it. */
  toolCallId: string;
}

/** Identifies a process by its session and its id. */
export interface ProcessRef {
  /** The id of the session. */
  runId: string;
  /** The id of the process in it. */
  processId: string;
}

/**
 * Everything that an inspector shows, and how it acts: it calls the functions of a host as any caller does. The package `haft` has one.
 * The page gets its answers unchanged, so a source covers secrets in records. Output of commands and files of rules are shown as they
 * are to a token that decides. `undefined` means that there is no such thing.
 *
 * @example
 * ```ts
 * import { type InspectorSource, serveInspector } from "@haft/inspector";
 * declare const source: InspectorSource;
 * const { items } = await source.runs({ limit: 10 });
 * const { url } = await serveInspector(source);
 * ```
 */
export interface InspectorSource {
  /** Facts about the host that it shows. */
  readonly about: Pick<InspectorInfo, "version" | "mode" | "workspace" | "keptIn" | "auditLog">;
  /** Returns sessions, the newest first. */
  runs(asked: { session?: string; limit: number; after?: string }): Promise<ListPage<Run>>;
  /** Returns one session. */
  run(runId: string): Promise<Run | undefined>;
  /** Returns the calls of a query. */
  calls(asked: CallListQuery, signal: AbortSignal): Promise<CallListPage>;
  /** Returns everything about one call. */
  call(named: CallRef): Promise<CallDetail | undefined>;
  /** Returns why a call is allowed or denied. */
  trace(named: CallRef): Promise<CallTrace | undefined>;
  /** Returns a part of a text in the result of a call. */
  text(named: CallRef & { block: number }, stretch: ByteRange): Promise<TextPage | undefined>;
  /** Returns a part of the whole output of a call. */
  output(named: CallRef, stretch: ByteRange, signal: AbortSignal): Promise<TextPage | undefined>;
  /** Returns an image in the result of a call. */
  image(named: CallRef & { block: number }): Promise<{ mimeType: string; bytes: Uint8Array } | undefined>;
  /** Aborts a running call. Returns whether it was running. */
  abort(named: CallRef): Promise<boolean>;
  /** Returns the calls that wait for a decision, and the grants. */
  approvals(): Promise<Approvals>;
  /** Decides about a waiting call. @throws HaftError `APPROVAL_DECIDED` when somebody else was first */
  answer(approvalId: string, given: DecisionRequest): Promise<DecisionResult>;
  /** Revokes a grant. Returns whether it existed. */
  revoke(grantId: string): Promise<boolean>;
  /** Returns the rules in force. */
  policy(asked: { agent?: string }): Promise<PolicyView>;
  /** Returns one cell of the matrix of rules. */
  cell(asked: { kind: string; tool: string; agent?: string }): Promise<CellDetail | undefined>;
  /** Returns a file of rules. @param covered Whether secrets in it are covered, for a token that only reads. */
  policyFile(id: string, covered: boolean): Promise<PolicyFileText | undefined>;
  /** Returns what an edit of the rules would change. */
  tryPolicy(edit: PolicyEdit): Promise<PolicyEditPreview>;
  /**
   * Returns all warnings of an edit, or of the rules in force, those about programs included. The search for programs takes a while.
   */
  policyLint(edit?: PolicyEdit): Promise<readonly Lint[]>;
  /** Decides about recorded calls again. */
  replay(asked: ReplayRequest, signal: AbortSignal): AsyncIterable<ReplayLine>;
  /** Writes a file of rules. @throws HaftError `POLICY_FILE_CHANGED` */
  savePolicy(save: PolicySave): Promise<PolicySaveResult>;
  /** Returns the tools that sessions of a kind have. */
  tools(asked: { kind?: string; agent?: string }): Promise<ToolsView>;
  /** Returns what would happen to a call. */
  explain(asked: { kind?: string; tool: string; args?: unknown }): Promise<CallExplanation>;
  /** Opens a workspace for calls by hand. */
  openPlayground(asked: PlaygroundRequest): Promise<Playground>;
  /** Makes a call in such a workspace. */
  callInPlayground(
    id: string,
    call: PlaygroundCall,
    signal: AbortSignal,
  ): Promise<PlaygroundCallResult | undefined>;
  /** Decides about a call in such a workspace. */
  decideInPlayground(id: string, given: PlaygroundDecision): Promise<PlaygroundCallResult | undefined>;
  /** Closes such a workspace. Returns whether it existed. */
  closePlayground(id: string): Promise<boolean>;
  /** Returns running commands, and those that have ended. */
  processes(): Promise<readonly Process[]>;
  /** Returns output of a command. */
  processOutput(
    named: ProcessRef,
    stretch: ByteRange,
    signal: AbortSignal,
  ): Promise<ProcessOutputPage | undefined>;
  /** Writes to the standard input of a command. */
  writeToProcess(named: ProcessRef, input: ProcessInput): Promise<ProcessActionResult | undefined>;
  /** Ends a command. */
  killProcess(named: ProcessRef): Promise<ProcessActionResult | undefined>;
  /** Changes the size of the terminal of a command. */
  resizeProcess(named: ProcessRef, size: { cols: number; rows: number }): Promise<boolean | undefined>;
  /** Returns sandboxes, views and nodes. */
  locations(): Promise<Locations>;
  /** Compares two runs. */
  compare(asked: { a: string; b: string }): Promise<RunComparison>;
  /** Restores files, as `haft undo` does. */
  undo(asked: UndoRequest): Promise<RewindReport>;
  /** Returns what an agent can do. */
  capabilities(asked: { kind?: string; agent?: string; run?: string }): Promise<AgentCapabilities>;
  /** Returns a run, or a conversation, as a file. Its text is made while it is read. */
  openExport(asked: {
    run?: string;
    session?: string;
    format: "html" | "json" | "jsonl";
  }): Promise<{ name: string; pieces: AsyncIterable<string> } | undefined>;
  /** Calls a function with each event from now on. Returns a function that ends this. */
  follow(tell: (event: SourceEvent) => void): () => void;
  /** Closes everything that the source opened. */
  close(): Promise<void>;
}
