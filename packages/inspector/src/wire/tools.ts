import type { ContentBlock, SessionKind, ToolFacts } from "@haft/core";
import type { EffectReceipt, MissingTool, ToolDiagnostic } from "@haft/core/internal";
import type { ToolDefinition } from "@haft/core/kernel";
import type { Approval } from "./approvals.ts";
import type { FileChange } from "./calls.ts";
import type { Cell } from "./policy.ts";

/**
 * The tools of sessions: `GET /api/tools?kind=main&agent=ID`.
 *
 * @example
 * ```ts
 * import type { ToolsView } from "@haft/inspector";
 * const format = ({ tools, tokens }: ToolsView) => `${tools.length} tools, about ${tokens} tokens`;
 * ```
 */
export interface ToolsView {
  /** The kind of these sessions. */
  kind: SessionKind;
  /** The tools that they have. */
  tools: readonly ToolView[];
  /** The tools that they do not have, with the reason. */
  missing: readonly MissingTool[];
  /** Problems of plugins and tools. */
  diagnostics: readonly ToolDiagnostic[];
  /** The plugins of the host. */
  plugins: readonly PluginView[];
  /** The estimated tokens of all definitions. */
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
  /** The estimated tokens of its definition. */
  tokens: number;
  /** The answer of the policy for these sessions. */
  cell: Cell;
}

/** A plugin and its state. */
export interface PluginView {
  /** The id of the plugin. */
  id: string;
  /** Its version, if it names one. */
  version?: string;
  /** The package or file from which it was loaded. */
  from?: string;
  /** Whether it is built into Haft. */
  builtIn: boolean;
  /** Its state: `ready`, `failed`, `not loaded yet` and others. */
  state: string;
  /** The names of its tools. */
  tools: readonly string[];
  /** Its problems. */
  problems: readonly { code: string; message: string; fix?: string }[];
}

/**
 * The body of `POST /api/scratch`, which makes an empty folder for calls by hand, with the rules of the host. `DELETE` closes it; else it
 * closes after 30 minutes.
 */
export interface PlaygroundRequest {
  /** The kind of session. Default `main`. */
  kind?: SessionKind;
  /** Its first files, by relative path. */
  files?: Readonly<Record<string, string>>;
}

/** A workspace for calls by hand. */
export interface Playground {
  /** Its id in URLs. */
  id: string;
  /** The path of its folder. */
  folder: string;
  /** The kind of session. */
  kind: SessionKind;
}

/** The body of `POST /api/scratch/ID/call`. */
export interface PlaygroundCall {
  /** The name of the tool. */
  tool: string;
  /** The arguments. */
  args: unknown;
}

/** The outcome of a call. */
export interface CallOutcomeSummary {
  /** The kind of outcome. `pending`: it waits for a decision, see `approval`; `POST /api/scratch/ID/allow` decides. */
  kind: "ok" | "error" | "blocked" | "pending" | "cancelled";
  /** The code of an outcome other than `ok`. */
  code?: string;
  /** The content for a model. */
  content: readonly ContentBlock[];
  /** Whether it changed anything. */
  receipt: EffectReceipt;
  /** How long it took, in milliseconds. */
  durationMs: number;
}

/** The outcome of a call by hand. */
export interface PlaygroundCallResult extends CallOutcomeSummary {
  /** Facts for programs. */
  details: unknown;
  /** The files that it changed. */
  files: readonly FileChange[];
  /** With `pending`: the request for approval. */
  approval?: Approval;
}

/**
 * The body of `POST /api/scratch/ID/allow`: a decision about a call that waits there. The response is the outcome of the call.
 */
export interface PlaygroundDecision {
  /** The id of the request. */
  approvalId: string;
  /** Whether the call may run. */
  allow: boolean;
}
