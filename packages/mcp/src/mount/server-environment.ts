import type { Processes } from "@haft/core";
import type { Network } from "@haft/core/kernel";

/** What signing in to a server leaves: a text, for its operator alone. */
export interface McpCredentials {
  /** What was written last; `undefined` where nothing was. */
  read(): string | undefined;
  /** Keeps a text where nobody else reads it. */
  write(text: string): void;
}

/** Where a server runs, or from where it is reached. */
export interface ServerEnvironment {
  /** Its process is one of these. */
  processes?: Processes | undefined;
  /** What leads to its address. */
  network?: Network | undefined;
  /** The folder it may work in, as it sees it: the answer to its question for roots. */
  root?: string | undefined;
  /** What signing in to a server at an address left. */
  credentials?: McpCredentials | undefined;
  /** Looks at what its process left behind; after each call, and before its answer. */
  settle?: (() => Promise<void>) | undefined;
}
