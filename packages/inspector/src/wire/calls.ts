import type { CallSubjects, ToolFacts } from "@haft/core";
import type { RequiredConsent, DecidedBy, ExplainedStep } from "@haft/core/internal";
import type { CallQuery, CallRecord } from "@haft/core/kernel";
import type { ListPage } from "./basics.ts";

/** `waiting`: needs a decision. `interrupted`: ended with its process. `gap`: not a call, but a time without reliable records. */
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
 * A call in a list.
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
  runId: string;
  /** Key of the conversation. */
  sessionKey: string;
  /** Counted from 1 in the run, without gaps. Absent until it is recorded, which may be at its end. */
  seq?: number;
  /** The effect on one line, with masked secrets, without the name of the tool. */
  summary: string;
  stand: CallStatus;
  decision?: DecidedBy["effect"];
  /** An earlier grant allowed it. */
  granted?: true;
  /** The loop guard stopped it. */
  loop?: true;
  /** It committed changes with a file tool, so its files can be restored. */
  undoable?: true;
  /** It restored files. */
  isUndo?: true;
}

/**
 * A query for calls that meet all conditions. In URLs: `GET /api/calls?run=…`.
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
  run?: string;
  /** Key of the conversation. */
  session?: string;
  tool?: string;
  /** Words that all occur in the name, arguments, code or recorded result. Ignores case. */
  text?: string;
  /** 1 to 500. Default 100. */
  limit?: number;
  /**
   * With `run`: the number of the first call, or of the last one in the order `newest`. The response then has no `next`. All parts of a
   * long run are equally fast.
   */
  seq?: number;
}

export interface CallListPage extends ListPage<CallRow> {
  /** With `text`: the number of searched calls. A page with few or no calls may have a `next`. */
  looked?: number;
}

/**
 * Details of a call.
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
  /** {@link CallTrace} has the whole trace. */
  decided?: DecidedBy;
  /** The plan before the decision. */
  plan?: {
    /** One line for each part. */
    lines: readonly string[];
    subjects?: CallSubjects;
    consent?: readonly RequiredConsent[];
  };
  files: readonly FileChange[];
  /** The result for the model. */
  result?: CallResult;
  /** The newest 20 warnings, with masked secrets. Only for a session of this process. */
  warnings?: readonly CallWarning[];
  /** The first 200 calls that it made. */
  children: readonly CallRow[];
  /** Identifies its process, if known: see {@link ../processes!Process}. */
  processId?: string;
}

export interface CallWarning {
  code: string;
  /** A sentence. */
  message: string;
}

export interface FileChange {
  /** As the call named it. */
  path: string;
  /** `added`, `modified`, `deleted` or `moved`, if known. */
  kind?: string;
  /** Lines start with `+`, `-` or a space; the header of a hunk starts with `@@`. At most 200,000 characters. */
  diff?: string;
  isCut?: true;
  /** Only the request is recorded, and not the previous content. */
  asAsked?: true;
}

export interface CallResult {
  /** `head`: only the start is recorded, with size and hash. */
  kept: "whole" | "head";
  /** With `head`: the text is complete; images and details are missing. */
  isTextWhole?: true;
  /** Size of the whole result in UTF-8. */
  bytes: number;
  /** The content for the model. */
  blocks: readonly ResultBlock[];
  /** For programs, with masked secrets. Absent if larger than 64 KiB. */
  details?: unknown;
}

export type ResultBlock =
  | {
      type: "text";
      /** At most 64 KiB. The rest: `GET /api/runs/RUN/calls/CALL/text?block=N&from=BYTE`. */
      text: string;
      /** Size of the whole block in UTF-8. */
      bytes: number;
      /** Language of its fence: `diff`, `ts`. */
      language?: string;
    }
  /** Content: `GET /api/runs/RUN/calls/CALL/image?block=N`. */
  | { type: "image"; mimeType: string; bytes: number };

/** A part of a text, cut between characters. */
export interface TextPage {
  /** Includes terminal sequences. */
  text: string;
  /** Offset of the first byte. */
  from: number;
  /** Offset of the next part; `total` at the end. */
  next: number;
  /** Current size of the whole text. */
  total: number;
  /** Bytes between the requested offset and `from` that are no longer available. */
  dropped: number;
  /** More can follow, because the call still runs. */
  open: boolean;
  /** The record, the spool, the command, or output received while it ran. */
  source: "ledger" | "spool" | "process" | "live";
}

/** The decision of the current policy about a call. */
export interface CallTrace {
  /** Absent with `unknown`. */
  is?: ExplainedDecision;
  /** The reason for a missing decision, as a sentence. */
  unknown?: string;
}

export interface ExplainedDecision {
  effect: DecidedBy["effect"];
  /** A sentence. */
  reason: string;
  /** The smallest change that leads to another decision. */
  fix?: string;
  /** The reason to ask about each call. */
  everyTime?: string;
  /** All considered steps, in order. One step decided. */
  trace: readonly (Omit<ExplainedStep, "stage"> & { stage?: ExplainedStep["stage"] })[];
}
