import type { CallExplanation } from "@haft/core/kernel";
import type { DecisionRequest, DecisionResult, Approvals } from "./approvals.ts";
import type { InspectorInfo, ListPage } from "./basics.ts";
import type { CallDetail, CallListQuery, CallListPage, CallTrace, TextPage } from "./calls.ts";
import type { AgentCapabilities } from "./capabilities.ts";
import type { RunComparison, UndoRequest, UndoReport } from "./ledger.ts";
import type { Locations } from "./locations.ts";
import type {
  CellDetail,
  Lint,
  PolicyEdit,
  PolicyFileText,
  PolicySave,
  PolicySaveResult,
  PolicyEditPreview,
  PolicyView,
} from "./policy.ts";
import type { Process, ProcessActionResult, ProcessInput, ProcessOutputPage } from "./processes.ts";
import type { Run } from "./runs.ts";
import type {
  Playground,
  PlaygroundDecision,
  PlaygroundRequest,
  PlaygroundCall,
  PlaygroundCallResult,
  ToolsView,
} from "./tools.ts";

export type * from "./capabilities.ts";
export type * from "./approvals.ts";
export type * from "./basics.ts";
export type * from "./calls.ts";
export type * from "./events.ts";
export type * from "./export.ts";
export type * from "./ledger.ts";
export type * from "./locations.ts";
export type * from "./policy.ts";
export type * from "./processes.ts";
export type * from "./runs.ts";
export type * from "./tools.ts";

/** The header in which the token is sent, as `Bearer TOKEN`: with every request but those for the page itself. */
export const TOKEN_HEADER = "authorization";

/**
 * Every request that is answered with JSON, by its method and path. `query`: behind the `?`; numbers as their digits. `body`: JSON.
 * What is not done is answered with `Refused`, and 400 (a mistake of the request), 401 (no token, or one that is none), 403 (this
 * token only looks; or another host or origin), 404, 409 (somebody was first), 413, 500 or 503. With `act` the token has to be for
 * the role `act`.
 *
 * Three answers are no JSON object: `GET /api/events` (see `InspectorEvent`), `POST /api/policy/replay` (see `ReplayLine`), and
 * those with bytes: `GET /api/runs/RUN/calls/CALL/image?block=N`, `GET /api/ledger/export?run=RUN|session=KEY&format=html|json|jsonl`.
 */
export interface Api {
  /** What this inspector is of, and what the token is for. */
  "GET /api/about": { query: {}; answer: InspectorInfo };
  /** The newest first. `limit` 1 to 200, default 50. */
  "GET /api/runs": { query: { session?: string; limit?: number; after?: string }; answer: ListPage<Run> };
  /** One session. */
  "GET /api/runs/:run": { query: {}; answer: Run };
  /** Calls that fit, as lines of a list. */
  "GET /api/calls": { query: CallListQuery; answer: CallListPage };
  /** Everything of one call. */
  "GET /api/runs/:run/calls/:call": { query: {}; answer: CallDetail };
  /** What was decided about it, and what is by the rules of now. */
  "GET /api/runs/:run/calls/:call/trace": { query: {}; answer: CallTrace };
  /** A block of its result. `max` at most 256 KiB, default 64 KiB. */
  "GET /api/runs/:run/calls/:call/text": {
    query: { block: number; from?: number; max?: number };
    answer: TextPage;
  };
  /**
   * All that it printed: what of it is kept in a file, what its command still has, or what came while it ran. `wait`: milliseconds to
   * wait for something new, while it runs; at most 25,000.
   */
  "GET /api/runs/:run/calls/:call/output": {
    query: { from?: number; max?: number; wait?: number };
    answer: TextPage;
  };
  /** Ends a call of a session that is open in this process. */
  "POST /api/runs/:run/calls/:call/abort": { act: true; query: {}; body: {}; answer: { aborted: boolean } };
  /** What waits, and what was allowed for good. */
  "GET /api/approvals": { query: {}; answer: Approvals };
  /** Decides. 409 with `DecidedFirst` where somebody was first. */
  "POST /api/approvals/:id": { act: true; query: {}; body: DecisionRequest; answer: DecisionResult };
  /** Takes back what was allowed for good. */
  "DELETE /api/grants/:id": { act: true; query: {}; answer: { revoked: boolean } };
  /** Rules, as a matrix, with their files. */
  "GET /api/policy": { query: { agent?: string }; answer: PolicyView };
  /** Warnings of the rules in force, with those about programs, which are looked up. */
  "GET /api/policy/lint": { query: {}; answer: { lint: readonly Lint[] } };
  /** All that was looked at for a cell. */
  "GET /api/policy/cell": { query: { kind: string; tool: string; agent?: string }; answer: CellDetail };
  /** A file of rules. */
  "GET /api/policy/file": { query: { id: string }; answer: PolicyFileText };
  /** What an edit would change; nothing is written. */
  "POST /api/policy/try": { query: {}; body: PolicyEdit; answer: PolicyEditPreview };
  /** The warnings of it, with those about programs, which are looked up: asked for behind it. */
  "POST /api/policy/lint": { query: {}; body: PolicyEdit; answer: { lint: readonly Lint[] } };
  /** Saves an edit. */
  "PUT /api/policy/file": { act: true; query: {}; body: PolicySave; answer: PolicySaveResult };
  /** What sessions of a kind are offered. */
  "GET /api/tools": { query: { kind?: string; agent?: string }; answer: ToolsView };
  /** What would become of a call, and why. Nothing runs. */
  "POST /api/explain": {
    query: {};
    body: { kind?: string; tool: string; args?: unknown };
    answer: CallExplanation;
  };
  /** Opens a folder to call tools in by hand. */
  "POST /api/scratch": { act: true; query: {}; body: PlaygroundRequest; answer: Playground };
  /** A call in it. */
  "POST /api/scratch/:id/call": { act: true; query: {}; body: PlaygroundCall; answer: PlaygroundCallResult };
  /** Decides about a call in it. */
  "POST /api/scratch/:id/allow": {
    act: true;
    query: {};
    body: PlaygroundDecision;
    answer: PlaygroundCallResult;
  };
  /** Removes it. */
  "DELETE /api/scratch/:id": { act: true; query: {}; answer: { closed: boolean } };
  /** Those that run first, then the newest that ended; at most 500. */
  "GET /api/processes": { query: {}; answer: { items: readonly Process[] } };
  /** What a command has written. */
  "GET /api/runs/:run/processes/:id/output": {
    query: { from?: number; max?: number; wait?: number };
    answer: ProcessOutputPage;
  };
  /** Types into it. */
  "POST /api/runs/:run/processes/:id/write": {
    act: true;
    query: {};
    body: ProcessInput;
    answer: ProcessActionResult;
  };
  /** Ends it, with all that it started. */
  "POST /api/runs/:run/processes/:id/kill": { act: true; query: {}; body: {}; answer: ProcessActionResult };
  /** Changes the size of its terminal. */
  "POST /api/runs/:run/processes/:id/resize": {
    act: true;
    query: {};
    body: { cols: number; rows: number };
    answer: { resized: boolean };
  };
  /** What runs where. */
  "GET /api/places": { query: {}; answer: Locations };
  /** Two runs beside each other. */
  "GET /api/ledger/compare": { query: { a: string; b: string }; answer: RunComparison };
  /** With `dryRun` a token that only looks is enough. */
  "POST /api/undo": { query: {}; body: UndoRequest; answer: UndoReport };
  /** What the agent of a session can do. */
  "GET /api/abilities": { query: { kind?: string; agent?: string; run?: string }; answer: AgentCapabilities };
}
