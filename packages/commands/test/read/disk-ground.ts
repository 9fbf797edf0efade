import { readdirSync, statSync } from "node:fs";
import type { Ground } from "../../src/index.ts";

/** What is on this disk, and these variables. */
export function diskGround(variables: Readonly<Record<string, string>>): Ground {
  const typeOf = (path: string) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat && (stat.isDirectory() ? ("folder" as const) : ("file" as const));
  };
  return {
    variables,
    list: async (folder) => (typeOf(folder) === "folder" ? readdirSync(folder) : []),
    typeOf: async (path) => {
      try {
        return typeOf(path);
      } catch {
        return undefined;
      }
    },
  };
}
