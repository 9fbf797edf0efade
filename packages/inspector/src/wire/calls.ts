import type { CallSubjects, ToolFacts } from "@haft/core";
import type { RequiredConsent, DecidedBy, ExplainedStep } from "@haft/core/internal";
import type { CallQuery, CallRecord } from "@haft/core/kernel";
import type { ListPage } from "./basics.ts";

/** `waiting`: needs a decision. `interrupted`: ended with its process. `gap`: a time without reliable records. */
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
  /** Counted from 1 without gaps; absent until recorded. */
  seq?: number;
  /** The masked effect on one line, without the tool's name. */
  summary: string;
  stand: CallStatus;
  decision?: DecidedBy["effect"];
  /** An earlier grant allowed it. */
  granted?: true;
  /** The loop guard stopped it. */
  loop?: true;
  /** Its file changes can be undone. */
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
  /** Words in the name, arguments, code or recorded result, ignoring case. */
  text?: string;
  /** 1 to 500. Default 100. */
  limit?: number;
  /**
   * With `run`: the number of the first call, or of the last in the order `newest`. The response has no
   * `next`. All parts of a run are equally fast.
   */
  seq?: number;
}

export interface CallListPage extends ListPage<CallRow> {
  /** With `text`: the number of searched calls. Almost empty pages may have a `next`. */
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
  /** The trace is in {@link CallTrace}. */
  decided?: DecidedBy;
  /** The plan before the decision. */
  plan?: {
    lines: readonly string[];
    subjects?: CallSubjects;
    consent?: readonly RequiredConsent[];
  };
  files: readonly FileChange[];
  /** The result for the model. */
  result?: CallResult;
  /** The newest 20 masked warnings. Only for a session of this process. */
  warnings?: readonly CallWarning[];
  /** Its first 200 calls. */
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
  /** The call's path. */
  path: string;
  /** `added`, `modified`, `deleted` or `moved`, if known. */
  kind?: string;
  /** Lines start with `+`, `-` or a space, hunk headers with `@@`. At most 200,000 characters. */
  diff?: string;
  isCut?: true;
  /** Only the request is recorded, without previous content. */
  asAsked?: true;
}

export interface CallResult {
  /** `head`: only start, size and hash are recorded. */
  kept: "whole" | "head";
  /** With `head`: only images and details are missing. */
  isTextWhole?: true;
  /** UTF-8 bytes of the whole result. */
  bytes: number;
  /** The content for the model. */
  blocks: readonly ResultBlock[];
  /** Masked facts for programs up to 64 KiB. */
  details?: unknown;
}

export type ResultBlock =
  | {
      type: "text";
      /** At most 64 KiB. The rest: `GET /api/runs/RUN/calls/CALL/text?block=N&from=BYTE`. */
      text: string;
      /** UTF-8 bytes of the whole block. */
      bytes: number;
      /** Language of its fence: `diff`, `ts`. */
      language?: string;
    }
  /** Content: `GET /api/runs/RUN/calls/CALL/image?block=N`. */
  | { type: "image"; mimeType: string; bytes: number };

/** A part of a text. */
export interface TextPage {
  /** Includes terminal sequences. */
  text: string;
  /** Offset of the first byte. */
  from: number;
  /** Offset of the next part; `total` at the end. */
  next: number;
  /** Current size of the whole text. */
  total: number;
  /** Lost bytes between the requested offset and `from`. */
  dropped: number;
  /** The call still runs. */
  open: boolean;
  /** The record, spool, command, or live output. */
  source: "ledger" | "spool" | "process" | "live";
}

/** The current policy's decision about a call. */
export interface CallTrace {
  /** Absent with `unknown`. */
  is?: ExplainedDecision;
  /** Explains a missing decision. */
  unknown?: string;
}

export interface ExplainedDecision {
  effect: DecidedBy["effect"];
  /** A sentence. */
  reason: string;
  /** The smallest change of the decision. */
  fix?: string;
  /** The reason to ask each time. */
  everyTime?: string;
  /** All considered steps in order, including the deciding step. */
  trace: readonly (Omit<ExplainedStep, "stage"> & { stage?: ExplainedStep["stage"] })[];
}
