/** What is known of the machine on which a line would run. With it, the parser expands what the line leaves to the shell. */
export interface ScriptContext {
  /** The variables that its commands get, as far as they are known, by name. */
  variables: Readonly<Record<string, string>>;
  /** Returns the names in a folder, in no order: empty if there is no such folder, `undefined` if that is unknown. */
  list(folder: string): Promise<readonly string[] | undefined>;
  /** Returns what a path leads to; `undefined` if nothing is there, or that is unknown. */
  getType(path: string): Promise<"file" | "folder" | undefined>;
}
