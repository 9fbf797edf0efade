import type { ContentBlock, SessionKind, ToolFacts } from "@haft/core";
import type { EffectReceipt, MissingTool, ToolDiagnostic } from "@haft/core/internal";
import type { ToolDefinition } from "@haft/core/kernel";
import type { Approval } from "./approvals.ts";
import type { FileChange } from "./calls.ts";
import type { Cell } from "./policy.ts";

/**
 * Tools of sessions: `GET /api/tools?kind=main&agent=ID`.
 *
 * @example
 * ```ts
 * import type { ToolsView } from "@haft/inspector";
 * const format = ({ tools, tokens }: ToolsView) => `${tools.length} tools, about ${tokens} tokens`;
 * ```
 */
export interface ToolsView {
  kind: SessionKind;
  tools: readonly ToolView[];
  /** Omitted tools, with reasons. */
  missing: readonly MissingTool[];
  /** Problems of plugins and tools. */
  diagnostics: readonly ToolDiagnostic[];
  plugins: readonly PluginView[];
  /** Estimated tokens of all definitions. */
  tokens: number;
}

/** A tool with its definition for models. */
export interface ToolView
  extends
    Pick<
      ToolFacts,
      "id" | "name" | "pluginId" | "effects" | "effectsUnknown" | "builtIn" | "optional" | "mcp"
    >,
    Pick<ToolDefinition, "description" | "parameters" | "outputSchema"> {
  /** Estimated tokens of the definition. */
  tokens: number;
  /** The policy's answer here. */
  cell: Cell;
}

export interface PluginView {
  id: string;
  version?: string;
  /** The package or file. */
  from?: string;
  builtIn: boolean;
  /** `ready`, `failed`, `not loaded yet` and others. */
  state: string;
  /** Names. */
  tools: readonly string[];
  problems: readonly { code: string; message: string; fix?: string }[];
}

/**
 * The body of `POST /api/scratch`: an empty folder for calls by hand under the host's rules. It closes with
 * `DELETE` or after 30 minutes.
 */
export interface PlaygroundRequest {
  /** Default `main`. */
  kind?: SessionKind;
  /** First files, by relative path. */
  files?: Readonly<Record<string, string>>;
}

/** A workspace for calls by hand. */
export interface Playground {
  /** Used in URLs. */
  id: string;
  folder: string;
  kind: SessionKind;
}

/** The body of `POST /api/scratch/ID/call`. */
export interface PlaygroundCall {
  tool: string;
  args: unknown;
}

export interface CallOutcomeSummary {
  /** `pending`: waits for a decision, see `approval`; `POST /api/scratch/ID/allow` decides. */
  kind: "ok" | "error" | "blocked" | "pending" | "cancelled";
  /** Absent with `ok`. */
  code?: string;
  /** The content for a model. */
  content: readonly ContentBlock[];
  receipt: EffectReceipt;
  /** Milliseconds. */
  durationMs: number;
}

/** The outcome of a call by hand. */
export interface PlaygroundCallResult extends CallOutcomeSummary {
  /** For programs. */
  details: unknown;
  /** Changed files. */
  files: readonly FileChange[];
  /** With `pending`: the request for approval. */
  approval?: Approval;
}

/** The body of `POST /api/scratch/ID/allow`; the response is the call's outcome. */
export interface PlaygroundDecision {
  approvalId: string;
  allow: boolean;
}
