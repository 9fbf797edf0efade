import type { Mount, ToolFacts } from "@haft/core";
import type { Session, SessionPreview } from "@haft/core/kernel";

/**
 * Options for serving sessions. Each has a default.
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
  /** Name of the server. Default: `haft`. */
  name?: string;
  /** Version of the server. Default: the version in the nearest `package.json` of this code, or `0.0.0`. */
  version?: string;
  /** Instructions that clients pass to their models. Default: instructions made from the tools. `false`: none. */
  instructions?: string | false;
  /**
   * Who decides about a call that needs approval. `client`: the user of the client is asked, if the client supports questions;
   * a call without an answer waits. `operator`: the call waits, and clients cannot decide. Default: `client` for sessions of
   * kind `main`, which belong to their owner, and `operator` for others.
   */
  approvals?: "client" | "operator";
  /**
   * Names of tools whose `details` contain everything that their text says. Such a tool is announced with its output schema,
   * and its results have `structuredContent`, which is the only part that several clients pass to their model. Default: none.
   */
  structured?: readonly string[];
  /** Receives problems that no response contains, such as invalid messages. Default: they are dropped. */
  onProblem?: (message: string) => void;
}

/**
 * Where served sessions come from: sessions of one kind, in one workspace, under one policy, chosen by the operator. Clients
 * cannot change that choice.
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
  /** Opens a session. It is called at the first call of a tool. */
  open(): Promise<Session>;
  /** Returns the tools and facts of such a session without opening it, for lists that clients request before the first call. */
  preview(): Promise<Pick<SessionPreview, "tools" | "facts">>;
  /** Returns the policy's facts of every tool: clients receive the effects of calls. */
  catalogue(): readonly ToolFacts[];
  /**
   * Returns the folders of this machine that sessions work in, as real paths, the workspace first. The model is told which of
   * the client's open folders are among them. Default: none, so that the model is told that all of them are ignored.
   */
  folders?(): readonly Mount[];
  /** Whether background processes of the session are running, which its end would stop. Default: none are. */
  isBusy?(session: Session): Promise<boolean>;
  /** Options of these sessions. They take precedence over other options. */
  readonly options?: ServeOptions;
}
