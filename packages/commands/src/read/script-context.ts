/** What is known of the place where a line would run: with it, what the line leaves to the shell can be put in beforehand. */
export interface ScriptContext {
  /** Variables that its commands get, as far as they are known, by their names. */
  variables: Readonly<Record<string, string>>;
  /** Names in a folder, in no order; empty when there is no such folder, `undefined` when that cannot be told. */
  list(folder: string): Promise<readonly string[] | undefined>;
  /** What a path leads to; `undefined` when nothing is there, or that cannot be told. */
  getType(path: string): Promise<"file" | "folder" | undefined>;
}
