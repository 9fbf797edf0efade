import type { Mount, ToolFacts } from "@haft/core";
import type { Session, SessionPreview } from "@haft/core/kernel";

/**
 * Configures served sessions. Each option has a default.
 *
 * @example
 * ```ts
 * import type { ServeOptions } from "@haft/mcp";
 * const options: ServeOptions = {
 *   name: "shop-tools",
 *   instructions: "Prices are in cents.",
 *   approvals: "operator",
 *   structured: ["list_orders"],
 * };
 * ```
 */
export interface ServeOptions {
  /** Names the server. Default: `haft`. */
  name?: string;
  /** Sets the version of the server. Default: the version in the nearest `package.json` of this code, or `0.0.0`. */
  version?: string;
  /** Sets the instructions that clients pass to their models. Default: instructions made from the tools. `false`: none. */
  instructions?: string | false;
  /**
   * Selects who decides about a call that needs approval. `client`: the client's user, if the client supports
   * questions; unanswered calls wait. `operator`: the call waits, and clients cannot decide. Default:
   * `client` for sessions of kind `main`, which belong to their owner, and `operator` for others.
   */
  approvals?: "client" | "operator";
  /**
   * Names tools whose `details` contain everything in their text. These announce an output schema, and
   * several clients pass their `structuredContent` to models instead of the text. Default: none.
   */
  structured?: readonly string[];
  /** Receives problems that no response contains, such as invalid messages. Default: they are dropped. */
  onProblem?: (message: string) => void;
}

/**
 * Provides sessions of the same kind, in one workspace, under one policy. The operator makes this choice; clients cannot change it.
 *
 * @example
 * ```ts
 * import type { ToolFacts } from "@haft/core";
 * import type { Session, SessionPreview } from "@haft/core/kernel";
 * import type { SessionSource } from "@haft/mcp";
 * declare const host: {
 *   openSession(): Promise<Session>;
 *   previewSession(): Promise<SessionPreview>;
 *   toolFacts(): readonly ToolFacts[];
 * };
 * const source: SessionSource = {
 *   open: () => host.openSession(),
 *   preview: () => host.previewSession(),
 *   catalogue: () => host.toolFacts(),
 * };
 * ```
 */
export interface SessionSource {
  /** Opens a session, at the first call of a tool. */
  open(): Promise<Session>;
  /** Returns the tools and facts of such a session without opening it, for lists before the first call. */
  preview(): Promise<Pick<SessionPreview, "tools" | "facts">>;
  /** Returns the policy's facts of every tool; clients receive the effects. */
  catalogue(): readonly ToolFacts[];
  /**
   * Returns the session's folders on this machine as real paths, the workspace first. The model reads which
   * of the client's open folders are among them. Default: none; the model then reads that all are ignored.
   */
  folders?(): readonly Mount[];
  /** Returns whether the session's end would stop background processes. Default: none are. */
  isBusy?(session: Session): Promise<boolean>;
  /** Overrides other options for these sessions. */
  readonly options?: ServeOptions;
}
