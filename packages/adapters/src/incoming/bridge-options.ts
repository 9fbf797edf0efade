import type { ToolEffect } from "@haft/core";

/**
 * Options that every `from…` bridge takes: how tools of another framework become a Haft plugin.
 *
 * @example
 * ```ts
 * import type { BridgeOptions } from "@haft/adapters/pi";
 * const options: BridgeOptions = {
 *   id: "billing",
 *   effects: { find_invoice: ["read"], "*": ["network"] },
 *   rename: { "find invoice": "find_invoice" },
 *   optional: ["refund"],
 * };
 * ```
 */
export interface BridgeOptions {
  /** Id of the plugin that the bridge makes: `[a-z0-9][a-z0-9-]*`. The id is also the name of a policy group. */
  id: string;
  /** Name of the plugin, for people. */
  name?: string;
  /** Version of the plugin, for people. */
  version?: string;
  /**
   * What calls of the tools may do: one list for all tools, or one list per tool by its name in its framework, with `"*"` for
   * the others. This list takes precedence over hints of the tools. A tool without an entry has every effect.
   */
  effects?: readonly ToolEffect[] | Readonly<Record<string, readonly ToolEffect[]>>;
  /**
   * Whether a tool's hint that it only reads counts if {@link effects} has no entry for the tool (default true). Hints are not
   * verified: such tools are in the policy group `group:hinted-effects`.
   */
  hints?: boolean;
  /**
   * New names of tools: from the name in their framework to the name in sessions (`[a-zA-Z][a-zA-Z0-9_-]*`, at most 48
   * characters).
   */
  rename?: Readonly<Record<string, string>>;
  /** Tools that stay off until a policy names them: `true` for all tools, or a list of names in their framework. */
  optional?: boolean | readonly string[];
  /** Names of tools of other plugins that these tools replace. */
  replaces?: readonly string[];
  /**
   * Converts a schema to JSON Schema. A bridge calls it for schemas without a conversion of their own, such as schemas of zod
   * 3.
   */
  toJsonSchema?: (schema: never) => unknown;
  /** Path of the module that makes the plugin. Default: the module that calls the bridge. */
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
