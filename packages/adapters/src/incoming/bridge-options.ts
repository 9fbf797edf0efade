import type { ToolEffect } from "@haft/core";

/**
 * Options of every `from…` bridge: how tools of another framework become a Haft plugin.
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
  /** Id of the plugin: `[a-z0-9][a-z0-9-]*`. It is also the name of a policy group. */
  id: string;
  /** Name of the plugin, for people. */
  name?: string;
  /** Version of the plugin. */
  version?: string;
  /**
   * Permitted effects of the tools: one list for all, or one list per tool by its name in its framework, with `"*"` for the others. It
   * takes precedence over hints. A tool without an entry has every effect.
   */
  effects?: readonly ToolEffect[] | Readonly<Record<string, readonly ToolEffect[]>>;
  /**
   * Whether a tool's hint that it only reads counts without an entry in {@link effects} (default true). Hints are not verified: such tools
   * are in the policy group `group:hinted-effects`.
   */
  hints?: boolean;
  /** New names of tools, by their name in their framework (`[a-zA-Z][a-zA-Z0-9_-]*`, at most 48 characters). */
  rename?: Readonly<Record<string, string>>;
  /** Tools that stay off until a policy names them: `true` for all, or a list of names in their framework. */
  optional?: boolean | readonly string[];
  /** Names of other plugins' tools that these tools replace. */
  replaces?: readonly string[];
  /** Converts schemas without their own conversion to JSON Schema, such as schemas of zod 3. */
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
