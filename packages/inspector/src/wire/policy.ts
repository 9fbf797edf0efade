import type { SessionKind } from "@haft/core";
import type { DecidedBy } from "@haft/core/internal";
import type { CallRow, ExplainedDecision } from "./calls.ts";

/** The answer in a cell of the matrix. `grant`: it is denied only because no rule grants or names it. */
export type CellEffect = "allow" | "ask" | "grant" | "deny";

/** What one kind of session may do with one tool. */
export interface Cell {
  /** The answer for a call of which nothing is known. */
  word: CellEffect;
  /** Whether the answer depends on the call. */
  dependsOnCall: boolean;
  /** The strictest answer for some calls, if others have a milder one. */
  toSome?: Exclude<CellEffect, "allow">;
  /** The answer for those others. */
  toOthers?: CellEffect;
  /** The reason, as one sentence. */
  reason: string;
  /** The rule that decides. */
  rule: string;
  /** The file or layer of the rule. */
  source: string;
  /** The smallest change that leads to a milder answer. */
  fix?: string;
  /** Set if its commands run in a view of the host. */
  contained?: string;
}

/** One tool in the matrix of rules. */
export interface MatrixLine {
  /** The short name of a built-in tool, `plugin/name` of another one. */
  name: string;
  /** The id of the tool: `plugin/name`. */
  toolId: string;
  /** Its cells, by kind of session. */
  cells: Readonly<Record<SessionKind, Cell>>;
}

/**
 * The rules in force, as a matrix, with their files: `GET /api/policy?agent=ID`.
 *
 * @example
 * ```ts
 * import type { PolicyView } from "@haft/inspector";
 * const denied = ({ lines }: PolicyView) => lines.filter(({ cells }) => cells.group.word === "deny").map(({ name }) => name);
 * ```
 */
export interface PolicyView {
  /** A text that changes with the rules. */
  version: string;
  /** The mode of the policy. With `shadow` the rules of the file decide nothing. */
  mode: string;
  /** The matrix: one line for each tool. */
  lines: readonly MatrixLine[];
  /** The files with rules. */
  files: readonly PolicyFile[];
  /** Warnings about rules, without those about programs (`GET /api/policy/lint`). */
  lint: readonly Lint[];
  /** The ids of agents that rules name. */
  agents: readonly string[];
}

/** A file with rules. */
export interface PolicyFile {
  /** Its id in URLs. */
  id: string;
  /** Its path. */
  path: string;
  /** The layer of its rules. Those of the `administrator` come first, and those of the `workspace` only tighten. */
  owner: "policy" | "configuration" | "administrator" | "workspace";
  /** Whether the page can edit it. */
  editable: boolean;
  /** Why the page cannot edit it, as a sentence. */
  why?: string;
}

/** A file with rules, and its text: `GET /api/policy/file?id=ID`. */
export interface PolicyFileText extends PolicyFile {
  /** The text of the file. */
  text: string;
  /** Set if secrets in the text are covered, for a token that only reads. Such a text cannot be edited. */
  covered?: boolean;
  /** The hash of the text, which a save sends back. */
  sha256: string;
}

/** An error or a warning about a file with rules. */
export interface Lint {
  /** With an `error` the file cannot be used. */
  severity: "error" | "warning";
  /** The file. */
  file: string;
  /** The line of the key, from 1. */
  line?: number;
  /** The column at which the key starts, from 1. */
  column?: number;
  /** The path of the key: `sessions.group.allow[2]`. */
  path: string;
  /** What is wrong, in whole sentences. */
  message: string;
  /** Names that were probably meant. */
  nearest?: readonly string[];
}

/** The decision behind a cell: `GET /api/policy/cell?kind=…&tool=ID&agent=ID`. */
export interface CellDetail extends ExplainedDecision {
  /** The id of the tool: `plugin/name`. */
  toolId: string;
  /** The kind of session. */
  kind: SessionKind;
  /** The cell of the matrix. */
  cell: Cell;
}

/** An edit of a file with rules: the body of `POST /api/policy/try`, and a part of that of `POST /api/policy/replay`. */
export interface PolicyEdit {
  /** The id of the file. */
  id: string;
  /** The new text. */
  text: string;
  /** The agent of the matrix. */
  agent?: string;
}

/** What an edit would change. Nothing is saved. */
export interface PolicyEditPreview {
  /**
   * Errors and warnings, without those about programs (`POST /api/policy/lint`). With an `error` the edit cannot be used, and `changed` is
   * empty.
   */
  lint: readonly Lint[];
  /** Cells that would change. */
  changed: readonly { toolId: string; name: string; kind: SessionKind; before?: Cell; after?: Cell }[];
}

/** The body of `POST /api/policy/replay`: recorded calls are decided again by an edit, the newest first. */
export interface ReplayRequest extends PolicyEdit {
  /** The id of a session. Default: all sessions. */
  run?: string;
  /** The key of a conversation. Default: all conversations. */
  session?: string;
  /** The earliest time. */
  since?: number;
  /** Largest number of calls. Default 10,000. */
  limit?: number;
}

/**
 * The response to a {@link ReplayRequest}: lines of JSON (`application/x-ndjson`), sent as they are found. An abort of the request ends the
 * work. The first line is about the first 100 calls and comes at once.
 */
export type ReplayLine =
  /** A call with another decision, or without one: `after` is then absent, and `reason` says why. */
  | {
      type: "call";
      call: CallRow;
      before?: DecidedBy["effect"];
      after?: DecidedBy["effect"];
      reason: string;
      planned?: true;
    }
  /** The progress of the work. */
  | { type: "progress"; looked: number; changed: number; unsaid: number }
  /** The last line. */
  | { type: "end"; looked: number; changed: number; unsaid: number; isAll: boolean }
  /** The last line, if the work failed. */
  | { type: "error"; code: string; message: string; fix?: string };

/**
 * The body of `PUT /api/policy/file`. If the file has changed since it was read, the response is 409 with `POLICY_FILE_CHANGED`, and nothing
 * is written.
 */
export interface PolicySave {
  /** The id of the file. */
  id: string;
  /** The new text. */
  text: string;
  /** The hash of the text that was edited. */
  sha256: string;
}

/** The result of a save. */
export interface PolicySaveResult {
  /** The hash of the text that is in the file now. */
  sha256: string;
  /** Whether this host uses the rules already. Other hosts read them at their next `reload` or start. */
  inForce: boolean;
  /** Errors because of which the rules are not in force. */
  problems: readonly string[];
}
