import type { CallExplanation, RewindReport } from "@haft/core/kernel";
import type {
  Abilities,
  About,
  AnswerGiven,
  AnswerHeard,
  Approvals,
  CallDetail,
  CallTrace,
  CallsAsked,
  CallsFound,
  CellOpened,
  InspectorEvent,
  Part,
  Places,
  Lint,
  PolicyEdit,
  PolicyFileText,
  PolicySave,
  PolicySaved,
  PolicyTried,
  PolicyView,
  Process,
  ProcessActed,
  ProcessInput,
  ProcessOutputPage,
  ReplayAsked,
  ReplayLine,
  Run,
  RunsCompared,
  Scratch,
  ScratchAllow,
  ScratchAsked,
  ScratchCall,
  ScratchCalled,
  TextPage,
  ToolsView,
  UndoAsked,
} from "../wire/api.ts";

/** What a source tells of while it is followed: events of the stream, without what the stream itself begins with. */
export type Told = Exclude<InspectorEvent, { type: "hello" }>;

/** Which part of something long. All numbers are bytes, but `wait`, which is milliseconds. */
export interface Stretch {
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
export interface NamedCall {
  /** The session. */
  runId: string;
  /** The call in it. */
  toolCallId: string;
}

/** A process, by its session and its id. */
export interface NamedProcess {
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
  readonly about: Pick<About, "version" | "mode" | "workspace" | "keptIn" | "auditLog">;
  /** Sessions, the newest first. */
  runs(asked: { session?: string; limit: number; after?: string }): Promise<Part<Run>>;
  /** One session. */
  run(runId: string): Promise<Run | undefined>;
  /** Calls that fit. */
  calls(asked: CallsAsked, signal: AbortSignal): Promise<CallsFound>;
  /** Everything of one. */
  call(named: NamedCall): Promise<CallDetail | undefined>;
  /** Why it could be made, or not. */
  trace(named: NamedCall): Promise<CallTrace | undefined>;
  /** A text of its result. */
  text(named: NamedCall & { block: number }, stretch: Stretch): Promise<TextPage | undefined>;
  /** All that it printed. */
  output(named: NamedCall, stretch: Stretch, signal: AbortSignal): Promise<TextPage | undefined>;
  /** An image of its result. */
  image(named: NamedCall & { block: number }): Promise<{ mimeType: string; bytes: Uint8Array } | undefined>;
  /** Ends one that runs. */
  abort(named: NamedCall): Promise<boolean>;
  /** What waits, and what was allowed for good. */
  approvals(): Promise<Approvals>;
  /** Decides. @throws HaftError `APPROVAL_DECIDED` where somebody was first */
  answer(approvalId: string, given: AnswerGiven): Promise<AnswerHeard>;
  /** Takes a grant back. */
  revoke(grantId: string): Promise<boolean>;
  /** Rules as they are. */
  policy(asked: { agent?: string }): Promise<PolicyView>;
  /** One cell of them. */
  cell(asked: { kind: string; tool: string; agent?: string }): Promise<CellOpened | undefined>;
  /** A file of rules. @param covered for who only looks: with its secrets covered */
  policyFile(id: string, covered: boolean): Promise<PolicyFileText | undefined>;
  /** What an edit would change. */
  tryPolicy(edit: PolicyEdit): Promise<PolicyTried>;
  /** All that an edit, or what is in force, says that hardly means what was meant: programs are looked up for it, which takes a while. */
  policyLint(edit?: PolicyEdit): Promise<readonly Lint[]>;
  /** Past calls decided again. */
  replay(asked: ReplayAsked, signal: AbortSignal): AsyncIterable<ReplayLine>;
  /** Writes a file of rules. @throws HaftError `POLICY_FILE_CHANGED` */
  savePolicy(save: PolicySave): Promise<PolicySaved>;
  /** What sessions of a kind are offered. */
  tools(asked: { kind?: string; agent?: string }): Promise<ToolsView>;
  /** What would become of a call. */
  explain(asked: { kind?: string; tool: string; args?: unknown }): Promise<CallExplanation>;
  /** A workspace to call tools in by hand. */
  openScratch(asked: ScratchAsked): Promise<Scratch>;
  /** A call in one. */
  callInScratch(id: string, call: ScratchCall, signal: AbortSignal): Promise<ScratchCalled | undefined>;
  /** Decides about a call in one. */
  allowInScratch(id: string, given: ScratchAllow): Promise<ScratchCalled | undefined>;
  /** Ends one. */
  closeScratch(id: string): Promise<boolean>;
  /** Commands. */
  processes(): Promise<readonly Process[]>;
  /** What one has written. */
  processOutput(
    named: NamedProcess,
    stretch: Stretch,
    signal: AbortSignal,
  ): Promise<ProcessOutputPage | undefined>;
  /** Types into one. */
  writeToProcess(named: NamedProcess, input: ProcessInput): Promise<ProcessActed | undefined>;
  /** Ends one. */
  killProcess(named: NamedProcess): Promise<ProcessActed | undefined>;
  /** Changes the size of its terminal. */
  resizeProcess(named: NamedProcess, size: { cols: number; rows: number }): Promise<boolean | undefined>;
  /** What runs where. */
  places(): Promise<Places>;
  /** Two runs beside each other. */
  compare(asked: { a: string; b: string }): Promise<RunsCompared>;
  /** Puts files back. */
  undo(asked: UndoAsked): Promise<RewindReport>;
  /** What the agent can do. */
  abilities(asked: { kind?: string; agent?: string; run?: string }): Promise<Abilities>;
  /** A run, or a conversation, as a file: its text is made as it is taken. */
  exported(asked: {
    run?: string;
    session?: string;
    format: "html" | "json" | "jsonl";
  }): Promise<{ name: string; pieces: AsyncIterable<string> } | undefined>;
  /** Tells what happens from now on; answers what ends that. */
  follow(tell: (event: Told) => void): () => void;
  /** Lets go of what it opened. */
  close(): Promise<void>;
}
