import type { CallSubjects, ToolFacts } from "@haft/core";
import type { RequiredConsent, DecidedBy, ExplainedStep } from "@haft/core/internal";
import type { CallQuery, CallRecord } from "@haft/core/kernel";
import type { ListPage } from "./basics.ts";

/** How a call ended, or where it stands, in one word. */
export type CallStatus =
  | "ok"
  | "error"
  | "blocked"
  | "cancelled"
  | "waiting"
  | "running"
  | "interrupted"
  | "gap";

/** A call as a line of a list. */
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
  /** Of its session. */
  runId: string;
  /** The conversation. */
  sessionKey: string;
  /** Its place in the run, from 1, without gaps; absent until it is recorded, which may be when it ends. */
  seq?: number;
  /** What it is about, on one line, secrets covered, without the name of the tool. */
  summary: string;
  /** How it ended, or where it stands. */
  stand: CallStatus;
  /** What policy said. */
  decision?: DecidedBy["effect"];
  /** It was let through by what was allowed before. */
  granted?: true;
  /** It was stopped because it repeats without getting anywhere. */
  loop?: true;
  /** Files of it can be put back: it committed changes with a file tool. */
  undoable?: true;
  /** It put files back. */
  isUndo?: true;
}

/** Which calls; all that is given must fit. In addresses: `GET /api/calls?run=…`. */
export interface CallListQuery extends Pick<
  CallQuery,
  "status" | "outcome" | "since" | "until" | "path" | "after" | "order"
> {
  /** Of this session. */
  run?: string;
  /** Of this conversation. */
  session?: string;
  /** Of this tool. */
  tool?: string;
  /** Words that all stand in its name, its arguments, its code, or what is kept of its result; case does not count. */
  text?: string;
  /** At most so many, 1 to 500. Default 100. */
  limit?: number;
  /**
   * With `run`: the calls at `limit` places from this one on; with the order `newest`, back from it. In any place of a long run at
   * once; there is no `next` then.
   */
  seq?: number;
}

/** Calls that fit. */
export interface CallListPage extends ListPage<CallRow> {
  /**
   * With `text`: how many calls were looked through for this part. A part may be short, or empty, and have a `next`: then looking
   * took its time, and goes on there.
   */
  looked?: number;
}

/** Everything of one call. */
export interface CallDetail
  extends
    CallRow,
    Pick<
      CallRecord,
      "epoch" | "args" | "answeredAs" | "category" | "sender" | "grantIds" | "hosts" | "resumed"
    > {
  /** The tool as `plugin/name`, with what it can do. */
  tool?: Pick<ToolFacts, "id" | "pluginId" | "effects" | "builtIn" | "mcp">;
  /** What policy said, and by which rule. The whole trace: {@link CallTrace}. */
  decided?: DecidedBy;
  /** What it would have done, as it was worked out before anybody decided. */
  plan?: {
    /** A line for each part. */
    lines: readonly string[];
    subjects?: CallSubjects;
    consent?: readonly RequiredConsent[];
  };
  /** What it did to files. */
  files: readonly FileChange[];
  /** What the model was given. */
  result?: CallResult;
  /** What it was warned of, the newest 20, secrets covered: known while its session is open in this program. */
  warnings?: readonly CallWarning[];
  /** The calls it made, the first 200. */
  children: readonly CallRow[];
  /** The process it started, where that is known: see {@link ../processes!Process}. */
  processId?: string;
}

/** Something that a call was warned of. */
export interface CallWarning {
  /** Of what kind. */
  code: string;
  /** In words. */
  message: string;
}

/** A file as a call changed it. */
export interface FileChange {
  /** As the call named it. */
  path: string;
  /** `added`, `modified`, `deleted`, `moved`; absent where that is not known. */
  kind?: string;
  /** Lines that begin with `+`, `-` or a space; hunks with `@@`. At most 200,000 characters. */
  diff?: string;
  /** More of the diff is not here. */
  isCut?: true;
  /** Only what was asked for is known, and not what the file was. */
  asAsked?: true;
}

/** What is kept of a result. */
export interface CallResult {
  /** `head`: only the beginning is kept, the rest is what its size and hash say. */
  kept: "whole" | "head";
  /** Of a `head`: it is all of the text, and what is not kept are images and details. */
  isTextWhole?: true;
  /** Of all of it, in UTF-8. */
  bytes: number;
  /** What the model was given. */
  blocks: readonly ResultBlock[];
  /** Machine-readable facts, secrets covered; absent where they take more than 64 KiB. */
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

/** A page of text, by bytes of UTF-8; cut between characters. */
export interface TextPage {
  /** The text from there on; terminal sequences are in it as they came. */
  text: string;
  /** Where it begins. */
  from: number;
  /** Where the next page begins; `total` at the end. */
  next: number;
  /** How much there is by now. */
  total: number;
  /** Bytes between what was asked for and `from` that are gone. */
  dropped: number;
  /** More comes: the call still runs. */
  open: boolean;
  /** Where it is read from: what is kept, a file that holds all of it, the command itself, or what came while it ran. */
  source: "ledger" | "spool" | "process" | "live";
}

/** Why a call could, or could not, be made: decided again by the policy that holds now. */
export interface CallTrace {
  /** What is decided now; absent with `unknown`. */
  is?: ExplainedDecision;
  /** Why it cannot be said, in a sentence. */
  unknown?: string;
}

/** A decision with all that was looked at. */
export interface ExplainedDecision {
  /** What is decided. */
  effect: DecidedBy["effect"];
  /** In one sentence. */
  reason: string;
  /** The smallest change that would flip it. */
  fix?: string;
  /** Every single call is asked about; says why. */
  everyTime?: string;
  /** Everything that was looked at, in order; one decided. */
  trace: readonly (Omit<ExplainedStep, "stage"> & { stage?: ExplainedStep["stage"] })[];
}
