import { readdirSync, statSync } from "node:fs";
import type { ScriptContext } from "../../src/index.ts";

/** What is on this disk, and these variables. */
export function createDiskContext(variables: Readonly<Record<string, string>>): ScriptContext {
  const typeOf = (path: string) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat && (stat.isDirectory() ? ("folder" as const) : ("file" as const));
  };
  return {
    variables,
    list: async (folder) => (typeOf(folder) === "folder" ? readdirSync(folder) : []),
    getType: async (path) => {
      try {
        return typeOf(path);
      } catch {
        return undefined;
      }
    },
  };
}
