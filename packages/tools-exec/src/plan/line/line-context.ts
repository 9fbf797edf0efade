import type { ScriptContext as LineGround } from "@haft/commands";
import { HaftError, type FileStat, type Workspace } from "@haft/plugin-sdk";

const MAX_ENTRIES = 10_000;

export function createLineContext(
  { fs }: Workspace,
  variables: Readonly<Record<string, string>> | undefined,
): LineGround {
  const all = Object.entries(variables ?? {});
  return {
    variables: Object.fromEntries(all.filter(([name]) => !name.startsWith("GIT_"))),
    exported: new Set(all.map(([name]) => name)),
    async list(folder) {
      const stat = await orNothing(() => fs.stat(folder));
      if (stat === "unknown") return undefined;
      if (stat?.type !== "directory") return [];
      const found = await orNothing(() => fs.list(folder, { limit: MAX_ENTRIES }));
      if (found === "unknown" || found === undefined || found.truncated) return undefined;
      return found.entries.map(({ name }) => name);
    },
    async getType(path) {
      const stat = await orNothing(() => fs.stat(path));
      return stat === "unknown" ? undefined : typeOf(stat);
    },
  };
}

function typeOf(stat: FileStat | undefined): "file" | "folder" | undefined {
  if (stat === undefined) return undefined;
  return stat.type === "directory" ? "folder" : "file";
}

async function orNothing<T>(read: () => Promise<T>): Promise<T | "unknown"> {
  try {
    return await read();
  } catch (thrown) {
    if (HaftError.is(thrown)) return "unknown";
    throw thrown;
  }
}
