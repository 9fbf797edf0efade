import type { SessionKind } from "@haft/core";
import type { DecidedBy } from "@haft/core/internal";
import type { CallRow, ExplainedDecision } from "./calls.ts";

/** What a cell says. `grant`: denied, and only because nothing grants it or names it. */
export type CellEffect = "allow" | "ask" | "grant" | "deny";

/** What one kind of session may do with one tool. */
export interface Cell {
  /** What becomes of a call of which nothing is known. */
  word: CellEffect;
  /** Not every call gets the same answer. */
  dependsOnCall: boolean;
  /** The strictest answer that some calls get, where others get a milder one. */
  toSome?: Exclude<CellEffect, "allow">;
  /** The answer to those others. */
  toOthers?: CellEffect;
  /** Why, in one sentence. */
  reason: string;
  /** The rule that decides. */
  rule: string;
  /** Where it stands. */
  source: string;
  /** The smallest change that would give a better answer. */
  fix?: string;
  /** Its commands run in a view of the host. */
  contained?: string;
}

/** One tool. */
export interface MatrixLine {
  /** Short name of a built-in tool, `plugin/name` of others. */
  name: string;
  /** `plugin/name`. */
  toolId: string;
  /** By kind of session. */
  cells: Readonly<Record<SessionKind, Cell>>;
}

/** `GET /api/policy?agent=ID`. */
export interface PolicyView {
  /** Changes with the rules. */
  version: string;
  /** `shadow`: the rules of the file only say what they would do. */
  mode: string;
  /** Sessions × tools. */
  lines: readonly MatrixLine[];
  /** The files rules stand in. */
  files: readonly PolicyFile[];
  /** What hardly means what was meant; without what is said of programs (`GET /api/policy/lint`). */
  lint: readonly Lint[];
  /** The agents that rules name. */
  agents: readonly string[];
}

/** A file that rules stand in. */
export interface PolicyFile {
  /** In addresses. */
  id: string;
  /** Where it is. */
  path: string;
  /** Whose rules: `administrator` above all, `workspace` only tightens. */
  owner: "policy" | "configuration" | "administrator" | "workspace";
  /** It can be tried and saved here. */
  editable: boolean;
  /** Why not, as a sentence. */
  why?: string;
}

/** `GET /api/policy/file?id=ID`. */
export interface PolicyFileText extends PolicyFile {
  /** What stands in it. */
  text: string;
  /** Secrets in it are covered, so that it is not what is edited: for who only looks. */
  covered?: boolean;
  /** Of that text; given back when it is saved. */
  sha256: string;
}

/** Something in a file of rules. */
export interface Lint {
  /** `error`: the file cannot be used so. */
  severity: "error" | "warning";
  /** The file. */
  file: string;
  /** Of the key, from 1. */
  line?: number;
  /** Where on the line the key begins, from 1. */
  column?: number;
  /** The key: `sessions.group.allow[2]`. */
  path: string;
  /** What is the matter. */
  message: string;
  /** What was probably meant. */
  nearest?: readonly string[];
}

/** `GET /api/policy/cell?kind=…&tool=ID&agent=ID`: what opens behind a cell. */
export interface CellDetail extends ExplainedDecision {
  /** The tool as `plugin/name`. */
  toolId: string;
  /** The kind of session. */
  kind: SessionKind;
  /** As in the matrix. */
  cell: Cell;
}

/** `POST /api/policy/try`, and the beginning of `POST /api/policy/replay`. */
export interface PolicyEdit {
  /** The file that is edited. */
  id: string;
  /** How it would be. */
  text: string;
  /** The agent the matrix is for. */
  agent?: string;
}

/** What an edit would change, before it is saved. */
export interface PolicyEditPreview {
  /**
   * Its mistakes and warnings, without those about programs (`POST /api/policy/lint`); with an `error` among them it cannot be used, and
   * nothing else is said.
   */
  lint: readonly Lint[];
  /** Cells that would be others. */
  changed: readonly { toolId: string; name: string; kind: SessionKind; before?: Cell; after?: Cell }[];
}

/** `POST /api/policy/replay`: past calls decided again by an edit, the newest first. */
export interface ReplayRequest extends PolicyEdit {
  /** Of this session; or of this conversation; of all by default. */
  run?: string;
  /** See `run`. */
  session?: string;
  /** From this time on. */
  since?: number;
  /** At most so many calls. Default 10,000. */
  limit?: number;
}

/**
 * The answer to it: lines of JSON (`application/x-ndjson`) as they are found; aborting the request ends the work. The first is about
 * the first 100 calls and comes at once.
 */
export type ReplayLine =
  /** Calls whose decision would be another, or of which it cannot be said (`after` is absent, `reason` says why). */
  | {
      type: "call";
      call: CallRow;
      before?: DecidedBy["effect"];
      after?: DecidedBy["effect"];
      reason: string;
      planned?: true;
    }
  /** How far it is. */
  | { type: "progress"; looked: number; changed: number; unsaid: number }
  /** The last one. */
  | { type: "end"; looked: number; changed: number; unsaid: number; isAll: boolean }
  /** The last one, where it could not go on. */
  | { type: "error"; code: string; message: string; fix?: string };

/** `PUT /api/policy/file`. With another content meanwhile: 409, `POLICY_FILE_CHANGED`, and nothing is written. */
export interface PolicySave {
  /** Which file. */
  id: string;
  /** What is to stand in it. */
  text: string;
  /** Of the text that was edited. */
  sha256: string;
}

/** What became of it. */
export interface PolicySaveResult {
  /** Of what stands there now. */
  sha256: string;
  /** Whether the rules hold for this host already; others read them when they are told to, or start. */
  inForce: boolean;
  /** Mistakes that keep them from being in force. */
  problems: readonly string[];
}
