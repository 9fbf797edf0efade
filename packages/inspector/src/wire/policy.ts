import type { SessionKind } from "@haft/core";
import type { DecidedBy } from "@haft/core/internal";
import type { CallRow, ExplainedDecision } from "./calls.ts";

/** `grant`: denied only for lack of a rule. */
export type CellEffect = "allow" | "ask" | "grant" | "deny";

/** One tool's answer in one kind of session. */
export interface Cell {
  /** The answer with unknown arguments. */
  word: CellEffect;
  dependsOnCall: boolean;
  /** The strictest answer, if calls differ. */
  toSome?: Exclude<CellEffect, "allow">;
  /** The answer for the others. */
  toOthers?: CellEffect;
  /** A sentence. */
  reason: string;
  /** The deciding rule. */
  rule: string;
  /** The file or layer of the rule. */
  source: string;
  /** The smallest change to a milder answer. */
  fix?: string;
  /** Commands run in a view of the host. */
  contained?: string;
}

export interface MatrixLine {
  /** A built-in tool's short name, or `plugin/name`. */
  name: string;
  /** `plugin/name`. */
  toolId: string;
  cells: Readonly<Record<SessionKind, Cell>>;
}

/**
 * The rules in force: `GET /api/policy?agent=ID`.
 *
 * @example
 * ```ts
 * import type { PolicyView } from "@haft/inspector";
 * const denied = ({ lines }: PolicyView) => lines.filter(({ cells }) => cells.group.word === "deny").map(({ name }) => name);
 * ```
 */
export interface PolicyView {
  /** Changes with the rules. */
  version: string;
  /** With `shadow`, the file's rules decide nothing. */
  mode: string;
  /** One line for each tool. */
  lines: readonly MatrixLine[];
  files: readonly PolicyFile[];
  /** Warnings without programs (see `GET /api/policy/lint`). */
  lint: readonly Lint[];
  /** Agents that rules name. */
  agents: readonly string[];
}

export interface PolicyFile {
  /** Used in URLs. */
  id: string;
  path: string;
  /** The layer: `administrator` comes first, `workspace` only tightens. */
  owner: "policy" | "configuration" | "administrator" | "workspace";
  editable: boolean;
  /** The reason against an edit. */
  why?: string;
}

/** A file with its text: `GET /api/policy/file?id=ID`. */
export interface PolicyFileText extends PolicyFile {
  text: string;
  /** Masked for a read-only token, and not editable. */
  covered?: boolean;
  /** The text's hash, for a save. */
  sha256: string;
}

export interface Lint {
  /** An `error` makes the file unusable. */
  severity: "error" | "warning";
  file: string;
  /** The line of the key, from 1. */
  line?: number;
  /** The column of the key, from 1. */
  column?: number;
  /** The path of the key: `sessions.group.allow[2]`. */
  path: string;
  /** Complete sentences. */
  message: string;
  /** Similar names. */
  nearest?: readonly string[];
}

/** The decision behind a cell: `GET /api/policy/cell?kind=…&tool=ID&agent=ID`. */
export interface CellDetail extends ExplainedDecision {
  /** `plugin/name`. */
  toolId: string;
  kind: SessionKind;
  cell: Cell;
}

/** The body of `POST /api/policy/try`, and part of `POST /api/policy/replay`. */
export interface PolicyEdit {
  id: string;
  text: string;
  /** The agent of the matrix. */
  agent?: string;
}

/** Effects of an unsaved edit. */
export interface PolicyEditPreview {
  /** Errors and warnings without programs (see `POST /api/policy/lint`); an `error` leaves `changed` empty. */
  lint: readonly Lint[];
  changed: readonly { toolId: string; name: string; kind: SessionKind; before?: Cell; after?: Cell }[];
}

/** The body of `POST /api/policy/replay`: recorded calls under an edit, newest first. */
export interface ReplayRequest extends PolicyEdit {
  /** Default: all sessions. */
  run?: string;
  /** Key of a conversation. Default: all. */
  session?: string;
  /** The earliest time. */
  since?: number;
  /** Default 10,000. */
  limit?: number;
}

/**
 * The response to a {@link ReplayRequest}: lines of JSON (`application/x-ndjson`). Aborting ends the work.
 * The first line covers 100 calls and comes at once.
 */
export type ReplayLine =
  /** A call with another decision, or a `reason` without `after`. */
  | {
      type: "call";
      call: CallRow;
      before?: DecidedBy["effect"];
      after?: DecidedBy["effect"];
      reason: string;
      planned?: true;
    }
  | { type: "progress"; looked: number; changed: number; unsaid: number }
  /** The last line. */
  | { type: "end"; looked: number; changed: number; unsaid: number; isAll: boolean }
  /** The last line after a failure. */
  | { type: "error"; code: string; message: string; fix?: string };

/** The body of `PUT /api/policy/file`. If the file changed, the response is 409 with `POLICY_FILE_CHANGED`, without a write. */
export interface PolicySave {
  id: string;
  text: string;
  /** The hash of the edited text. */
  sha256: string;
}

export interface PolicySaveResult {
  /** The hash of the saved text. */
  sha256: string;
  /** This host uses the rules; others read them at `reload` or start. */
  inForce: boolean;
  /** Errors in the rules. */
  problems: readonly string[];
}
