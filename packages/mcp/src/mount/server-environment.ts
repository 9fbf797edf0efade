import type { Processes } from "@haft/core";
import type { Network } from "@haft/core/kernel";

/**
 * Stores the credentials of a server. Only its operator may be able to read them.
 *
 * @example
 * ```ts
 * import type { McpCredentials } from "@haft/mcp";
 * import { existsSync, readFileSync, writeFileSync } from "node:fs";
 * const file = "/var/lib/agent/tracker.credentials";
 * const credentials: McpCredentials = {
 *   read: () => (existsSync(file) ? readFileSync(file, "utf8") : undefined),
 *   write: (text) => writeFileSync(file, text, { mode: 0o600 }),
 * };
 * ```
 */
export interface McpCredentials {
  /** Returns the last text written; `undefined` if there is none. */
  read(): string | undefined;
  /** Stores a text so that no other user can read it. */
  write(text: string): void;
}

/**
 * Defines where a server's process runs, or which network leads to the server.
 *
 * @example
 * ```ts
 * import type { Workspace } from "@haft/core";
 * import type { ServerEnvironment } from "@haft/mcp";
 * import { createHostNetwork } from "@haft/workspace";
 * declare const workspace: Workspace;
 * const network = createHostNetwork({ allowPrivate: ["mcp.internal.example"] });
 * const ofProgram: ServerEnvironment = { processes: workspace.processes, root: "/workspace" };
 * const ofAddress: ServerEnvironment = { network };
 * ```
 */
export interface ServerEnvironment {
  /** Starts the server's process. */
  processes?: Processes | undefined;
  /** States that `processes` already has the variables of the server. Otherwise they are set at the start, with the limits of a caller. */
  setsVariables?: boolean | undefined;
  /** Reaches the server. */
  network?: Network | undefined;
  /** Names the server's folder as it sees it: the response to `roots/list`. */
  root?: string | undefined;
  /** Stores credentials for a server with an address. */
  credentials?: McpCredentials | undefined;
  /** Inspects the files of the process after each call, before its result. */
  settle?: (() => Promise<void>) | undefined;
}
