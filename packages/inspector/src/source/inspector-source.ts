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

/** What a source tells of while it is followed: events of the stream, without what the stream itself begins with. */
export type SourceEvent = Exclude<InspectorEvent, { type: "hello" }>;

/** Which part of something long. All numbers are bytes, but `wait`, which is milliseconds. */
export interface ByteRange {
  /** Where it begins. */
  from: number;
  /** At most so much. */
  max: number;
  /** So long something new is waited for. */
  wait: number;
  /** For who only looks: secrets are covered, in what is not recorded, too. */
  covered: boolean;
}

/** A call, by its session and its id. */
export interface CallRef {
  /** The session. */
  runId: string;
  /** The call in it. */
  toolCallId: string;
}

/** A process, by its session and its id. */
export interface ProcessRef {
  /** The session. */
  runId: string;
  /** The process in it. */
  processId: string;
}

/**
 * What an inspector shows, and through which it acts: a host's own functions, asked as any caller asks them. `haft` has one. What
 * it answers goes to the page as it is, so secrets are covered in what was recorded; what commands print, and files of rules, are
 * shown as they are to who decides alone. `undefined` says that there is no such thing.
 */
export interface InspectorSource {
  /** What it is of. */
  readonly about: Pick<InspectorInfo, "version" | "mode" | "workspace" | "keptIn" | "auditLog">;
  /** Sessions, the newest first. */
  runs(asked: { session?: string; limit: number; after?: string }): Promise<ListPage<Run>>;
  /** One session. */
  run(runId: string): Promise<Run | undefined>;
  /** Calls that fit. */
  calls(asked: CallListQuery, signal: AbortSignal): Promise<CallListPage>;
  /** Everything of one. */
  call(named: CallRef): Promise<CallDetail | undefined>;
  /** Why it could be made, or not. */
  trace(named: CallRef): Promise<CallTrace | undefined>;
  /** A text of its result. */
  text(named: CallRef & { block: number }, stretch: ByteRange): Promise<TextPage | undefined>;
  /** All that it printed. */
  output(named: CallRef, stretch: ByteRange, signal: AbortSignal): Promise<TextPage | undefined>;
  /** An image of its result. */
  image(named: CallRef & { block: number }): Promise<{ mimeType: string; bytes: Uint8Array } | undefined>;
  /** Ends one that runs. */
  abort(named: CallRef): Promise<boolean>;
  /** What waits, and what was allowed for good. */
  approvals(): Promise<Approvals>;
  /** Decides. @throws HaftError `APPROVAL_DECIDED` where somebody was first */
  answer(approvalId: string, given: DecisionRequest): Promise<DecisionResult>;
  /** Takes a grant back. */
  revoke(grantId: string): Promise<boolean>;
  /** Rules as they are. */
  policy(asked: { agent?: string }): Promise<PolicyView>;
  /** One cell of them. */
  cell(asked: { kind: string; tool: string; agent?: string }): Promise<CellDetail | undefined>;
  /** A file of rules. @param covered for who only looks: with its secrets covered */
  policyFile(id: string, covered: boolean): Promise<PolicyFileText | undefined>;
  /** What an edit would change. */
  tryPolicy(edit: PolicyEdit): Promise<PolicyEditPreview>;
  /** All that an edit, or what is in force, says that hardly means what was meant: programs are looked up for it, which takes a while. */
  policyLint(edit?: PolicyEdit): Promise<readonly Lint[]>;
  /** Past calls decided again. */
  replay(asked: ReplayRequest, signal: AbortSignal): AsyncIterable<ReplayLine>;
  /** Writes a file of rules. @throws HaftError `POLICY_FILE_CHANGED` */
  savePolicy(save: PolicySave): Promise<PolicySaveResult>;
  /** What sessions of a kind are offered. */
  tools(asked: { kind?: string; agent?: string }): Promise<ToolsView>;
  /** What would become of a call. */
  explain(asked: { kind?: string; tool: string; args?: unknown }): Promise<CallExplanation>;
  /** A workspace to call tools in by hand. */
  openPlayground(asked: PlaygroundRequest): Promise<Playground>;
  /** A call in one. */
  callInPlayground(
    id: string,
    call: PlaygroundCall,
    signal: AbortSignal,
  ): Promise<PlaygroundCallResult | undefined>;
  /** Decides about a call in one. */
  decideInPlayground(id: string, given: PlaygroundDecision): Promise<PlaygroundCallResult | undefined>;
  /** Ends one. */
  closePlayground(id: string): Promise<boolean>;
  /** Commands. */
  processes(): Promise<readonly Process[]>;
  /** What one has written. */
  processOutput(
    named: ProcessRef,
    stretch: ByteRange,
    signal: AbortSignal,
  ): Promise<ProcessOutputPage | undefined>;
  /** Types into one. */
  writeToProcess(named: ProcessRef, input: ProcessInput): Promise<ProcessActionResult | undefined>;
  /** Ends one. */
  killProcess(named: ProcessRef): Promise<ProcessActionResult | undefined>;
  /** Changes the size of its terminal. */
  resizeProcess(named: ProcessRef, size: { cols: number; rows: number }): Promise<boolean | undefined>;
  /** What runs where. */
  locations(): Promise<Locations>;
  /** Two runs beside each other. */
  compare(asked: { a: string; b: string }): Promise<RunComparison>;
  /** Puts files back. */
  undo(asked: UndoRequest): Promise<RewindReport>;
  /** What the agent can do. */
  capabilities(asked: { kind?: string; agent?: string; run?: string }): Promise<AgentCapabilities>;
  /** A run, or a conversation, as a file: its text is made as it is taken. */
  openExport(asked: {
    run?: string;
    session?: string;
    format: "html" | "json" | "jsonl";
  }): Promise<{ name: string; pieces: AsyncIterable<string> } | undefined>;
  /** Tells what happens from now on; answers what ends that. */
  follow(tell: (event: SourceEvent) => void): () => void;
  /** Lets go of what it opened. */
  close(): Promise<void>;
}
