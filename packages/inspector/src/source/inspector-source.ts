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

/** Describes an event of the page's stream, except `hello`. */
export type SourceEvent = Exclude<InspectorEvent, { type: "hello" }>;

export interface ByteRange {
  /** Sets the first byte. */
  from: number;
  /** Limits the bytes. */
  max: number;
  /** Waits for new output, in milliseconds. */
  wait: number;
  /** Masks secrets for a read-only token, even in unrecorded output. */
  covered: boolean;
}

/** Identifies a call. */
export interface CallRef {
  runId: string;
  toolCallId: string;
}

/** Identifies a process. */
export interface ProcessRef {
  runId: string;
  processId: string;
}

/**
 * Contains everything that an inspector shows and does. `haft` has an implementation that calls a host. The
 * page receives answers unchanged, so sources mask secrets in records. Deciding tokens get output of commands
 * and files of rules unmasked. `undefined` means a missing object.
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
  /** Describes the host. */
  readonly about: Pick<InspectorInfo, "version" | "mode" | "workspace" | "keptIn" | "auditLog">;
  /** Returns sessions, newest first. */
  runs(request: { session?: string; limit: number; after?: string }): Promise<ListPage<Run>>;
  /** Returns one session. */
  run(runId: string): Promise<Run | undefined>;
  /** Returns the calls of a query. */
  calls(request: CallListQuery, signal: AbortSignal): Promise<CallListPage>;
  /** Returns the details of a call. */
  call(named: CallRef): Promise<CallDetail | undefined>;
  /** Explains the decision about a call. */
  trace(named: CallRef): Promise<CallTrace | undefined>;
  /** Returns a part of a text in a result. */
  text(named: CallRef & { block: number }, stretch: ByteRange): Promise<TextPage | undefined>;
  /** Returns a part of the whole output of a call. */
  output(named: CallRef, stretch: ByteRange, signal: AbortSignal): Promise<TextPage | undefined>;
  /** Returns an image in a result. */
  image(named: CallRef & { block: number }): Promise<{ mimeType: string; bytes: Uint8Array } | undefined>;
  /** Aborts a call, and returns whether it was running. */
  abort(named: CallRef): Promise<boolean>;
  /** Returns waiting calls and grants. */
  approvals(): Promise<Approvals>;
  /** Decides about a waiting call. @throws HaftError `APPROVAL_DECIDED` after another decision */
  answer(approvalId: string, given: DecisionRequest): Promise<DecisionResult>;
  /** Revokes a grant, and returns whether it existed. */
  revoke(grantId: string): Promise<boolean>;
  /** Returns the rules in force. */
  policy(request: { agent?: string }): Promise<PolicyView>;
  /** Returns one cell of the matrix. */
  cell(request: { kind: string; tool: string; agent?: string }): Promise<CellDetail | undefined>;
  /** Returns a file of rules. @param covered Masks secrets for a read-only token. */
  policyFile(id: string, covered: boolean): Promise<PolicyFileText | undefined>;
  /** Returns the effects of an edit. */
  tryPolicy(edit: PolicyEdit): Promise<PolicyEditPreview>;
  /** Returns all warnings of an edit or the current rules, slowly because of programs. */
  policyLint(edit?: PolicyEdit): Promise<readonly Lint[]>;
  /** Decides about recorded calls again. */
  replay(request: ReplayRequest, signal: AbortSignal): AsyncIterable<ReplayLine>;
  /** Saves a file of rules. @throws HaftError `POLICY_FILE_CHANGED` */
  savePolicy(save: PolicySave): Promise<PolicySaveResult>;
  /** Returns the tools of a kind of session. */
  tools(request: { kind?: string; agent?: string }): Promise<ToolsView>;
  /** Explains the decision about a possible call. */
  explain(request: { kind?: string; tool: string; args?: unknown }): Promise<CallExplanation>;
  /** Opens a workspace for calls by hand. */
  openPlayground(request: PlaygroundRequest): Promise<Playground>;
  /** Runs a call in such a workspace. */
  callInPlayground(
    id: string,
    call: PlaygroundCall,
    signal: AbortSignal,
  ): Promise<PlaygroundCallResult | undefined>;
  /** Decides about a call in such a workspace. */
  decideInPlayground(id: string, given: PlaygroundDecision): Promise<PlaygroundCallResult | undefined>;
  /** Closes such a workspace, and returns whether it existed. */
  closePlayground(id: string): Promise<boolean>;
  /** Returns running and ended commands. */
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
  /** Resizes the terminal of a command. */
  resizeProcess(named: ProcessRef, size: { cols: number; rows: number }): Promise<boolean | undefined>;
  /** Returns sandboxes, views and nodes. */
  locations(): Promise<Locations>;
  /** Compares two runs. */
  compare(request: { a: string; b: string }): Promise<RunComparison>;
  /** Restores files, as `haft undo` does. */
  undo(request: UndoRequest): Promise<RewindReport>;
  /** Returns the capabilities of an agent. */
  capabilities(request: { kind?: string; agent?: string; run?: string }): Promise<AgentCapabilities>;
  /** Streams a run or a conversation as a file. */
  openExport(request: {
    run?: string;
    session?: string;
    format: "html" | "json" | "jsonl";
  }): Promise<{ name: string; pieces: AsyncIterable<string> } | undefined>;
  /** Calls a function for each event; returns a function that stops it. */
  follow(notify: (event: SourceEvent) => void): () => void;
  /** Closes the source. */
  close(): Promise<void>;
}
