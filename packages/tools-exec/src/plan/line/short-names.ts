import type { CommandTemplate } from "@haft/commands";
import { posix } from "node:path";
import type { FileIdentities, CommandPlanContext } from "../find-programs.ts";
import { isWritable } from "../paths.ts";

/** Maps absolute names of programs to short names: `/bin/ls` is `ls`. Excludes files that calls can write. */
export async function shortNames(
  { workspace, processes, where }: CommandPlanContext,
  { commands, unclear }: CommandTemplate,
  programs: FileIdentities,
): Promise<ReadonlyMap<string, string>> {
  const { mounts } = workspace.describe();
  const names = [...new Set(commands.map(({ name }) => name))].filter((name) => {
    const path = programs.get(name)?.path;
    return name.startsWith("/") && path !== undefined && !isWritable(path, mounts);
  });
  if (unclear !== undefined || names.length === 0) return new Map();
  const short = names.map((name) => posix.basename(name));
  const { files } = await processes.identify(
    short.map((name) => ({ name })),
    where,
  );
  const isSame = (name: string, at: number): boolean => files[at]?.realPath === programs.get(name)?.realPath;
  return new Map(names.flatMap((name, at) => (isSame(name, at) ? [[name, short[at] ?? name] as const] : [])));
}
