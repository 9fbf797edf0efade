import type { ApprovalAnswer, ApprovalRequestRecord } from "@haft/core";
import type { RewindReport, Session } from "@haft/core/kernel";
import type { ModelSettings } from "../model/model-settings.ts";

/** Shows the running call in a status line while there is no other output. */
export interface ChatStatus {
  begin(): void;
  end(): void;
}

/** Displays a running call. */
export interface ChatCall {
  /** Ends the display. Returns the unshown part of the result. */
  end(result: string): string;
}

/**
 * Provides sessions, settings, and functions for the terminal to a chat. The `haft` command implements it.
 *
 * @example
 * ```ts
 * import type { ChatHost } from "@haft/chat";
 * declare const host: ChatHost;
 * const session = await host.openSession(true); // the latest run
 * console.log(host.location, await host.describeCommands());
 * await host.close();
 * ```
 */
export interface ChatHost {
  /** Selects the model. */
  model: ModelSettings;
  /** Sets the model's context size in tokens. */
  contextTokens: number | undefined;
  /** Limits the answers of the model to one message. */
  maxSteps: number | undefined;
  /** Fails a step after this many milliseconds without output from the model. */
  stallMs: number | undefined;
  /** Names the location of the session, for people. */
  location: string;
  /** Identifies the conversation that all sessions belong to. */
  sessionKey: string;
  /** Contains the stored conversations; absent if none are stored. */
  folder: string | undefined;
  /** Limits the age of stored conversations in days. */
  keepDays: number;
  /** Limits the total size of stored conversations in bytes; the oldest are removed first. */
  keepBytes: number;
  /** Opens a session: a new run, the latest run (`true`) or the run with this id. */
  openSession(resume?: true | string): Promise<Session>;
  /** Closes all sessions and ends their processes. */
  close(): Promise<void>;
  /** Asks on the terminal. Resolves to nothing if decided elsewhere. Absent if no person can answer. */
  ask?: (
    request: ApprovalRequestRecord,
    options: { signal: AbortSignal; why: () => Promise<string> },
  ) => Promise<ApprovalAnswer | undefined>;
  /** Shows the output of a call. */
  follow(
    session: Session,
    call: { toolCallId: string; toolName: string },
    output: { write(text: string): unknown } | undefined,
  ): ChatCall;
  /** Creates a status line. Absent if the terminal cannot redraw a line. */
  status?: (name: string) => ChatStatus;
  /** Returns a call as one line with masked secrets. */
  summarizeCall(toolName: string, args: unknown): string;
  /** Resolves to the deciding rule and its reason. */
  explain(session: Session, toolName: string, args: unknown): Promise<string>;
  /** Resolves to the reason why a call needs approval. */
  explainApproval(session: Session, request: ApprovalRequestRecord): Promise<string>;
  /** Describes the files that a rewind restored. */
  describeRewind(report: RewindReport): string;
  /** Returns the shell command that answers a request. */
  answerCommand(request: ApprovalRequestRecord): string;
  /** Returns the shell command that continues a run of this conversation. */
  resumeCommand(runId: string): string;
  /** Resolves to one line about the permissions of commands. */
  describeCommands(): Promise<string>;
  /** Resolves to the tools, each with its description's start. */
  describeTools(session: Session): Promise<string>;
}
