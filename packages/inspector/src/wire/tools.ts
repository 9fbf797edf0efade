import type { ContentBlock, SessionKind, ToolFacts } from "@haft/core";
import type { EffectReceipt, MissingTool, ToolDiagnostic } from "@haft/core/internal";
import type { ToolDefinition } from "@haft/core/kernel";
import type { Approval } from "./approvals.ts";
import type { FileChange } from "./calls.ts";
import type { Cell } from "./policy.ts";

/** `GET /api/tools?kind=main&agent=ID`. */
export interface ToolsView {
  /** Of such sessions. */
  kind: SessionKind;
  /** What they are offered. */
  tools: readonly ToolView[];
  /** What they are not, and why. */
  missing: readonly MissingTool[];
  /** What is wrong. */
  diagnostics: readonly ToolDiagnostic[];
  /** Where tools come from. */
  plugins: readonly PluginView[];
  /** Of all definitions, about. */
  tokens: number;
}

/** A tool as a model is told of it, and what else is known. */
export interface ToolView
  extends
    Pick<
      ToolFacts,
      "id" | "name" | "pluginId" | "effects" | "effectsUnknown" | "builtIn" | "optional" | "mcp"
    >,
    Pick<ToolDefinition, "description" | "parameters" | "outputSchema"> {
  /** What its definition costs a model, about. */
  tokens: number;
  /** What such sessions may do with it. */
  cell: Cell;
}

/** A plugin, and what became of it. */
export interface PluginView {
  /** Its name. */
  id: string;
  /** Its version, where it says one. */
  version?: string;
  /** The package or file it was loaded from. */
  from?: string;
  /** Built into Haft. */
  builtIn: boolean;
  /** `ready`, `failed`, `not loaded yet` … */
  state: string;
  /** The tools it publishes. */
  tools: readonly string[];
  /** What is wrong with it. */
  problems: readonly { code: string; message: string; fix?: string }[];
}

/** `POST /api/scratch`: an empty folder of its own, with the rules of the host, to call tools in by hand; closed with `DELETE`, or after 30 minutes. */
export interface PlaygroundRequest {
  /** The kind of session. Default `main`. */
  kind?: SessionKind;
  /** Files that stand in it at first, by relative paths. */
  files?: Readonly<Record<string, string>>;
}

/** A scratch workspace. */
export interface Playground {
  /** In addresses. */
  id: string;
  /** Where it is. */
  folder: string;
  /** The kind of session. */
  kind: SessionKind;
}

/** `POST /api/scratch/ID/call`. */
export interface PlaygroundCall {
  /** The tool. */
  tool: string;
  /** Its arguments. */
  args: unknown;
}

/** What a call came to. */
export interface CallOutcomeSummary {
  /** `pending`: it waits for approval, see `approval`; `POST /api/scratch/ID/allow` lets it run. */
  kind: "ok" | "error" | "blocked" | "pending" | "cancelled";
  /** Of an outcome that is not `ok`. */
  code?: string;
  /** What a model would be given. */
  content: readonly ContentBlock[];
  /** What it left behind. */
  receipt: EffectReceipt;
  /** How long it took. */
  durationMs: number;
}

/** What a call in a scratch workspace came to. */
export interface PlaygroundCallResult extends CallOutcomeSummary {
  /** Machine-readable facts. */
  details: unknown;
  /** What it did to files. */
  files: readonly FileChange[];
  /** With `pending`: what would happen. */
  approval?: Approval;
}

/** `POST /api/scratch/ID/allow`: a decision about a call that waits there; answered as the call is. */
export interface PlaygroundDecision {
  /** Of the request. */
  approvalId: string;
  /** Let it run, or not. */
  allow: boolean;
}
