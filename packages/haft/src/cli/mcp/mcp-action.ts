/** What stands behind `haft mcp ACTION`. */
export interface McpValues {
  network?: string;
  env?: string[];
  header?: string[];
  "client-id"?: string;
  "client-secret"?: string;
  cwd?: string;
  outside?: boolean;
  timeout?: string;
  "dry-run"?: boolean;
  accept?: boolean;
  config?: string;
  workspace?: string;
  state?: string;
  json?: boolean;
}

/** Resolves to the exit code. */
export type McpAction = (words: readonly string[], values: McpValues) => Promise<number>;
