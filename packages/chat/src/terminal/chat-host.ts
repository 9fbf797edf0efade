import type { ApprovalAnswer, ApprovalRequestRecord } from "@haft/core";
import type { RewindReport, Session } from "@haft/core/kernel";
import type { ModelSettings } from "../model/model-settings.ts";

/** A line that says what runs, while nothing else comes. */
export interface ChatStatus {
  /** It runs from now on. */
  begin(): void;
  /** Nothing is left of the line. */
  end(): void;
}

/** A call that is shown while it runs. */
export interface ChatCall {
  /** Answers what is still to be said of the result: output that was shown is not said again. */
  end(result: string): string;
}

/** What the command gives a chat: the session, and parts of the terminal that its other commands have, too. */
export interface ChatHost {
  /** The model, as it was named. */
  model: ModelSettings;
  /** Tokens of its context. */
  contextTokens: number | undefined;
  /** Answers of the model to one thing that is said. */
  maxSteps: number | undefined;
  /** Milliseconds the model may say nothing. */
  stallMs: number | undefined;
  /** Where the session works, for people. */
  location: string;
  /** The conversation of its sessions. */
  sessionKey: string;
  /** Where conversations are kept; absent where they are not. */
  folder: string | undefined;
  /** Days that they are kept. */
  keepDays: number;
  /** Bytes of all of them; the oldest go first. */
  keepBytes: number;
  /** Opens a session: a new run, or one that is continued. */
  openSession(resume?: true | string): Promise<Session>;
  /** Ends all of them, and what they started. */
  close(): Promise<void>;
  /** Asks on the terminal; nothing when it was decided elsewhere. Absent where nobody is asked. */
  ask?: (
    request: ApprovalRequestRecord,
    options: { signal: AbortSignal; why: () => Promise<string> },
  ) => Promise<ApprovalAnswer | undefined>;
  /** Shows what a call prints. */
  follow(
    session: Session,
    call: { toolCallId: string; toolName: string },
    output: { write(text: string): unknown } | undefined,
  ): ChatCall;
  /** Absent where no line can come and go. */
  status?: (name: string) => ChatStatus;
  /** A call on one line, secrets covered. */
  summarizeCall(toolName: string, args: unknown): string;
  /** Which rule decides, and why. */
  explain(session: Session, toolName: string, args: unknown): Promise<string>;
  /** Why somebody is asked about a call that waits. */
  explainApproval(session: Session, request: ApprovalRequestRecord): Promise<string>;
  /** What was put back. */
  describeRewind(report: RewindReport): string;
  /** The command that answers a request. */
  answerCommand(request: ApprovalRequestRecord): string;
  /** The command that continues a run of this conversation. */
  resumeCommand(runId: string): string;
  /** What commands of its sessions may do, on one line. */
  describeCommands(): Promise<string>;
  /** A tool, by the beginning of what it says of itself. */
  describeTools(session: Session): Promise<string>;
}
