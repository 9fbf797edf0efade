import type { ToolEffect } from "@haft/core";

/** What every bridge needs to know of the tools it takes in. */
export interface BridgeOptions {
  /** Id of the plugin that the tools become: `[a-z0-9][a-z0-9-]*`; also a policy group. */
  id: string;
  /** Of the plugin, for people. */
  name?: string;
  /** Of the plugin, for people. */
  version?: string;
  /**
   * What calls may do: one list for all tools, or one for each by its name in its own framework, with `"*"` for the others.
   * What is said here counts, whatever the tools say of themselves. A tool nobody says anything of may do everything.
   */
  effects?: readonly ToolEffect[] | Readonly<Record<string, readonly ToolEffect[]>>;
  /**
   * Whether a tool's own hint that it only reads counts where {@link effects} says nothing of it (default true). Nobody has
   * checked such a hint: those tools are in the policy group `group:hinted-effects`.
   */
  hints?: boolean;
  /** Other names for tools: from the one in their framework to the one here (`[a-zA-Z][a-zA-Z0-9_-]*`, at most 48). */
  rename?: Readonly<Record<string, string>>;
  /** Tools that are off until a policy names them: all of them, or these names of their own framework. */
  optional?: boolean | readonly string[];
  /** Names of other plugins' tools that these replace on purpose. */
  replaces?: readonly string[];
  /** Makes JSON Schema of a schema that cannot say its own, such as one of zod 3. */
  toJsonSchema?: (schema: never) => unknown;
  /** Path of the module that makes the plugin. Default: the one that calls the bridge. */
  source?: string;
}

export const OPTION_NAMES: readonly string[] = [
  "id",
  "name",
  "version",
  "effects",
  "hints",
  "rename",
  "optional",
  "replaces",
  "toJsonSchema",
  "source",
] satisfies (keyof BridgeOptions)[];
