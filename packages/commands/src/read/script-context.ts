/**
 * Describes the machine on which a line would run. With it, the parser performs expansions of the shell.
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
  /** Contains the known variables, by name. */
  variables: Readonly<Record<string, string>>;
  /** Names variables of the environment with other values. A line that sets one of them changes the values of its programs. */
  exported?: ReadonlySet<string>;
  /** Returns the names in a folder: empty if there is no such folder, `undefined` if unknown. */
  list(folder: string): Promise<readonly string[] | undefined>;
  /** Returns the type, with links followed; `undefined` if nothing is there, or if unknown. */
  getType(path: string): Promise<"file" | "folder" | undefined>;
}
