import type { Processes } from "@haft/core";
import type { Network } from "@haft/core/kernel";

/**
 * Storage for the credentials of one server: a text that only its operator may read.
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
 * The environment of a server: where its process runs, or which network leads to it.
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
  /** The network through which the server is reached. */
  network?: Network | undefined;
  /** The folder that the server may work in, as the server sees it: the response to `roots/list`. */
  root?: string | undefined;
  /** Credentials for a server with an address. */
  credentials?: McpCredentials | undefined;
  /** Inspects the files that the process left. It is called after each call, before the result is returned. */
  settle?: (() => Promise<void>) | undefined;
}
