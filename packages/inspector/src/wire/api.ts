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

/**
 * Lists all requests with JSON responses, by method and path. `query` follows the `?`, with numbers as
 * digits; `body` is JSON. A failed request has an `ErrorResponse` and a status: 400 (invalid), 401 (missing
 * or invalid token), 403 (read-only token, another host or origin), 404, 409 (another person was first), 413,
 * 500 or 503. `act` needs a token of that role.
 *
 * Other responses: `GET /api/events` (see `InspectorEvent`), `POST /api/policy/replay` (see `ReplayLine`),
 * and bytes: `GET /api/runs/RUN/calls/CALL/image?block=N`, `GET
 * /api/ledger/export?run=RUN|session=KEY&format=html|json|jsonl`.
 *
 * @example
 * ```ts
 * import type { Api } from "@haft/inspector";
 * async function get<Path extends "/api/about" | "/api/approvals">(path: Path, token: string) {
 *   const response = await fetch(`http://127.0.0.1:7400${path}`, { headers: { authorization: `Bearer ${token}` } });
 *   return (await response.json()) as Api[`GET ${Path}`]["answer"];
 * }
 * ```
 */
export interface Api {
  /** Returns facts about the inspector and the token. */
  "GET /api/about": { query: {}; answer: InspectorInfo };
  /** Returns sessions, newest first. `limit` is 1 to 200; default 50. */
  "GET /api/runs": { query: { session?: string; limit?: number; after?: string }; answer: ListPage<Run> };
  /** Returns one session. */
  "GET /api/runs/:run": { query: {}; answer: Run };
  /** Returns the calls of a query. */
  "GET /api/calls": { query: CallListQuery; answer: CallListPage };
  /** Returns the details of a call. */
  "GET /api/runs/:run/calls/:call": { query: {}; answer: CallDetail };
  /** Returns the decision under current rules. */
  "GET /api/runs/:run/calls/:call/trace": { query: {}; answer: CallTrace };
  /** Returns a part of a text in a result. `max` is at most 256 KiB; default 64 KiB. */
  "GET /api/runs/:run/calls/:call/text": {
    query: { block: number; from?: number; max?: number };
    answer: TextPage;
  };
  /**
   * Returns a part of a call's whole output, from the spool, its command or the live output. `wait`:
   * milliseconds to wait for new output, at most 25,000.
   */
  "GET /api/runs/:run/calls/:call/output": {
    query: { from?: number; max?: number; wait?: number };
    answer: TextPage;
  };
  /** Aborts a call in this process. */
  "POST /api/runs/:run/calls/:call/abort": { act: true; query: {}; body: {}; answer: { aborted: boolean } };
  /** Returns waiting calls and grants. */
  "GET /api/approvals": { query: {}; answer: Approvals };
  /** Decides about a waiting call; 409 with `DecisionConflict` if another person was first. */
  "POST /api/approvals/:id": { act: true; query: {}; body: DecisionRequest; answer: DecisionResult };
  /** Revokes a grant. */
  "DELETE /api/grants/:id": { act: true; query: {}; answer: { revoked: boolean } };
  /** Returns the rules as a matrix, with their files. */
  "GET /api/policy": { query: { agent?: string }; answer: PolicyView };
  /** Returns the current rules' warnings, including programs. */
  "GET /api/policy/lint": { query: {}; answer: { lint: readonly Lint[] } };
  /** Returns a cell's decision and trace. */
  "GET /api/policy/cell": { query: { kind: string; tool: string; agent?: string }; answer: CellDetail };
  /** Returns a file of rules. */
  "GET /api/policy/file": { query: { id: string }; answer: PolicyFileText };
  /** Returns the effects of an edit, and writes nothing. */
  "POST /api/policy/try": { query: {}; body: PolicyEdit; answer: PolicyEditPreview };
  /** Returns an edit's warnings including programs, slower than `POST /api/policy/try`. */
  "POST /api/policy/lint": { query: {}; body: PolicyEdit; answer: { lint: readonly Lint[] } };
  /** Saves an edit. */
  "PUT /api/policy/file": { act: true; query: {}; body: PolicySave; answer: PolicySaveResult };
  /** Returns the tools of a kind of session. */
  "GET /api/tools": { query: { kind?: string; agent?: string }; answer: ToolsView };
  /** Explains a possible call without running it. */
  "POST /api/explain": {
    query: {};
    body: { kind?: string; tool: string; args?: unknown };
    answer: CallExplanation;
  };
  /** Opens a workspace for calls by hand. */
  "POST /api/scratch": { act: true; query: {}; body: PlaygroundRequest; answer: Playground };
  /** Runs a call in such a workspace. */
  "POST /api/scratch/:id/call": { act: true; query: {}; body: PlaygroundCall; answer: PlaygroundCallResult };
  /** Decides about a call in such a workspace. */
  "POST /api/scratch/:id/allow": {
    act: true;
    query: {};
    body: PlaygroundDecision;
    answer: PlaygroundCallResult;
  };
  /** Closes such a workspace. */
  "DELETE /api/scratch/:id": { act: true; query: {}; answer: { closed: boolean } };
  /** Returns at most 500 processes: running, then ended, newest first. */
  "GET /api/processes": { query: {}; answer: { items: readonly Process[] } };
  /** Returns output of a command. */
  "GET /api/runs/:run/processes/:id/output": {
    query: { from?: number; max?: number; wait?: number };
    answer: ProcessOutputPage;
  };
  /** Writes to the standard input of a command. */
  "POST /api/runs/:run/processes/:id/write": {
    act: true;
    query: {};
    body: ProcessInput;
    answer: ProcessActionResult;
  };
  /** Ends a command with all its descendants. */
  "POST /api/runs/:run/processes/:id/kill": { act: true; query: {}; body: {}; answer: ProcessActionResult };
  /** Resizes the terminal of a command. */
  "POST /api/runs/:run/processes/:id/resize": {
    act: true;
    query: {};
    body: { cols: number; rows: number };
    answer: { resized: boolean };
  };
  /** Returns sandboxes, views and nodes. */
  "GET /api/places": { query: {}; answer: Locations };
  /** Compares two runs. */
  "GET /api/ledger/compare": { query: { a: string; b: string }; answer: RunComparison };
  /** Restores files; `dryRun` needs only a read-only token. */
  "POST /api/undo": { query: {}; body: UndoRequest; answer: UndoReport };
  /** Returns the capabilities of an agent. */
  "GET /api/abilities": { query: { kind?: string; agent?: string; run?: string }; answer: AgentCapabilities };
}
