import type { CallSubjects, ToolFacts } from "@haft/core";
import type { RequiredConsent, DecidedBy, ExplainedStep } from "@haft/core/internal";
import type { CallQuery, CallRecord } from "@haft/core/kernel";
import type { ListPage } from "./basics.ts";

/**
 * The state of a call for people. `waiting` waits for a decision, `interrupted` ended with its process, and `gap` is no call, but a time from
 * which records may be missing.
 */
export type CallStatus =
  | "ok"
  | "error"
  | "blocked"
  | "cancelled"
  | "waiting"
  | "running"
  | "interrupted"
  | "gap";

/**
 * A call as a line of a list.
 *
 * @example
 * ```ts
 * import type { CallRow } from "@haft/inspector";
 * const format = ({ toolName, summary, stand }: CallRow) => `${stand.padEnd(9)} ${toolName} ${summary}`;
 * ```
 */
export interface CallRow extends Pick<
  CallRecord,
  | "toolCallId"
  | "toolName"
  | "createdAt"
  | "startedAt"
  | "endedAt"
  | "code"
  | "receipt"
  | "approvalId"
  | "decidedBy"
  | "parentCallId"
  | "duplicateOf"
  | "poll"
  | "changes"
> {
  /** The id of its session. */
  runId: string;
  /** The key of the conversation. */
  sessionKey: string;
  /** Its number in the run, from 1, without gaps. Absent until it is recorded, which may be at its end. */
  seq?: number;
  /** What it does, on one line, with secrets covered, without the name of the tool. */
  summary: string;
  /** Its state. */
  stand: CallStatus;
  /** The decision of the policy. */
  decision?: DecidedBy["effect"];
  /** Set if an earlier grant allowed it. */
  granted?: true;
  /** Set if the loop guard stopped it. */
  loop?: true;
  /** Set if its files can be restored: it committed changes with a file tool. */
  undoable?: true;
  /** Set if it restored files. */
  isUndo?: true;
}

/**
 * A query for calls. Calls match if they meet all conditions. In URLs: `GET /api/calls?run=…`.
 *
 * @example
 * ```ts
 * import type { CallListQuery } from "@haft/inspector";
 * const failed: CallListQuery = { tool: "exec", outcome: "error", text: "npm", limit: 50 };
 * ```
 */
export interface CallListQuery extends Pick<
  CallQuery,
  "status" | "outcome" | "since" | "until" | "path" | "after" | "order"
> {
  /** The id of the session. */
  run?: string;
  /** The key of the conversation. */
  session?: string;
  /** The name of the tool. */
  tool?: string;
  /** Words that all occur in its name, its arguments, its code, or its recorded result. Case does not count. */
  text?: string;
  /** Largest number of calls, 1 to 500. Default 100. */
  limit?: number;
  /**
   * With `run`: the number of the first call; with the order `newest`, that of the last. The response then has no `next`. Every part of a
   * long run is read equally fast.
   */
  seq?: number;
}

/** The calls of a query. */
export interface CallListPage extends ListPage<CallRow> {
  /**
   * With `text`: how many calls were searched for this page. A page with few or no calls may have a `next`, where the search goes on.
   */
  looked?: number;
}

/**
 * Everything about one call.
 *
 * @example
 * ```ts
 * import type { CallDetail } from "@haft/inspector";
 * const listDiffs = ({ files }: CallDetail) => files.map(({ path, diff = "" }) => `${path}\n${diff}`);
 * ```
 */
export interface CallDetail
  extends
    CallRow,
    Pick<
      CallRecord,
      "epoch" | "args" | "answeredAs" | "category" | "sender" | "grantIds" | "hosts" | "resumed"
    > {
  /** The tool as `plugin/name`, with its effects. */
  tool?: Pick<ToolFacts, "id" | "pluginId" | "effects" | "builtIn" | "mcp">;
  /** The decision of the policy, and its rule. {@link CallTrace} has the whole trace. */
  decided?: DecidedBy;
  /** What it would do, as it was computed before the decision. */
  plan?: {
    /** One line for each part. */
    lines: readonly string[];
    subjects?: CallSubjects;
    consent?: readonly RequiredConsent[];
  };
  /** The files that it changed. */
  files: readonly FileChange[];
  /** The result for the model. */
  result?: CallResult;
  /** Its newest 20 warnings, with secrets covered. They are known while its session is open in this process. */
  warnings?: readonly CallWarning[];
  /** The first 200 calls that it made. */
  children: readonly CallRow[];
  /** The id of the process that it started, if it is known: see {@link ../processes!Process}. */
  processId?: string;
}

/** A warning of a call. */
export interface CallWarning {
  /** The kind of warning, for programs. */
  code: string;
  /** The warning, as a sentence. */
  message: string;
}

/** A file that a call changed. */
export interface FileChange {
  /** The path, as the call named it. */
  path: string;
  /** `added`, `modified`, `deleted` or `moved`. Absent where that is not known. */
  kind?: string;
  /** Lines that start with `+`, `-` or a space; the header of a hunk starts with `@@`. At most 200,000 characters. */
  diff?: string;
  /** Set if the diff is longer. */
  isCut?: true;
  /** Set if only the request is recorded, and not the earlier content of the file. */
  asAsked?: true;
}

/** The recorded result of a call. */
export interface CallResult {
  /** `head`: only the start is recorded, with size and hash of the rest. */
  kept: "whole" | "head";
  /** With `head`: set if the text is complete, and only images and details are missing. */
  isTextWhole?: true;
  /** The size of the whole result, in bytes of UTF-8. */
  bytes: number;
  /** Its content for the model. */
  blocks: readonly ResultBlock[];
  /** Facts for programs, with secrets covered. Absent where they take more than 64 KiB. */
  details?: unknown;
}

/** A part of a result. */
export type ResultBlock =
  | {
      type: "text";
      /** The first 64 KiB at most. More of it: `GET /api/runs/RUN/calls/CALL/text?block=N&from=BYTE`. */
      text: string;
      /** Of the whole block, in UTF-8. */
      bytes: number;
      /** Language of a fence around it: `diff`, `ts`. */
      language?: string;
    }
  /** Its bytes: `GET /api/runs/RUN/calls/CALL/image?block=N`. */
  | { type: "image"; mimeType: string; bytes: number };

/** A part of a text, by bytes of UTF-8. It is never cut inside of a character. */
export interface TextPage {
  /** The text, with its terminal sequences. */
  text: string;
  /** The offset of its first byte. */
  from: number;
  /** The offset of the next part; `total` at the end. */
  next: number;
  /** The present size of the whole text. */
  total: number;
  /** Number of bytes between the requested offset and `from` that are no longer available. */
  dropped: number;
  /** Whether more can follow, because the call still runs. */
  open: boolean;
  /** The source of the text: the record, the spool, the command itself, or the output that came while it ran. */
  source: "ledger" | "spool" | "process" | "live";
}

/** Why a call is allowed or denied, by the policy in force. */
export interface CallTrace {
  /** The present decision. Absent with `unknown`. */
  is?: ExplainedDecision;
  /** Why there is no decision, as a sentence. */
  unknown?: string;
}

/** A decision with its whole trace. */
export interface ExplainedDecision {
  /** The effect of the decision. */
  effect: DecidedBy["effect"];
  /** The reason, as one sentence. */
  reason: string;
  /** The smallest change that leads to another decision. */
  fix?: string;
  /** Why every single call is asked about, if it is. */
  everyTime?: string;
  /** Everything that the decision considered, in order. One step decided. */
  trace: readonly (Omit<ExplainedStep, "stage"> & { stage?: ExplainedStep["stage"] })[];
}
