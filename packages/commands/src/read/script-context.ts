/**
 * What is known of the machine on which a line would run. With it, the parser expands what the line leaves to the shell.
 *
 * @example
 * ```ts
 * import { readdir, stat } from "node:fs/promises";
 * import type { ScriptContext } from "@haft/commands";
 *
 * const context: ScriptContext = {
 *   variables: { HOME: "/home/alice" },
 *   list: (folder) => readdir(folder).catch(() => []),
 *   async getType(path) {
 *     const found = await stat(path).catch(() => undefined);
 *     return found && (found.isDirectory() ? "folder" : "file");
 *   },
 * };
 * ```
 */
export interface ScriptContext {
  /** The variables that its commands get, as far as they are known, by name. */
  variables: Readonly<Record<string, string>>;
  /** Returns the names in a folder, in no order: empty if there is no such folder, `undefined` if that is unknown. */
  list(folder: string): Promise<readonly string[] | undefined>;
  /** Returns what a path leads to; `undefined` if nothing is there, or that is unknown. */
  getType(path: string): Promise<"file" | "folder" | undefined>;
}
