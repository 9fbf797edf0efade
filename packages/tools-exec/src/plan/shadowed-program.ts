import type { CommandTemplate } from "@haft/commands";
import type { FileIdentity, Mount } from "@haft/plugin-sdk";
import type { FileIdentities, CommandPlanContext } from "./find-programs.ts";
import { isWritable } from "./paths.ts";

const SYSTEM_FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin"];

/**
 * Explains why a name is not the usual program: another program is found first in the workspace, where calls can write. Completes a
 * sentence.
 */
export async function explainShadowedProgram(
  { workspace, processes, where }: CommandPlanContext,
  { commands }: CommandTemplate,
  programs: FileIdentities,
): Promise<string | undefined> {
  const bare = [...new Set(commands.flatMap((command) => command.programs))].filter(
    (name) => !name.includes("/"),
  );
  const found = new Map(bare.map((name) => [name, programs.get(name)]));
  for (const [name, one] of filterWritablePrograms(found, workspace.describe().mounts)) {
    const names = SYSTEM_FOLDERS.map((folder) => ({ name: `${folder}/${name}` }));
    const { files } = await processes.identify(names, where);
    if (files.some((file) => file !== undefined))
      return `${name} is found at ${one?.path}, in the workspace, not in the folder of the system`;
  }
  return undefined;
}

export function filterWritablePrograms(
  found: FileIdentities,
  mounts: readonly Mount[],
): (readonly [name: string, one: FileIdentity | undefined])[] {
  return [...found].filter(([, one]) => isWritable(one?.path, mounts) || isWritable(one?.realPath, mounts));
}
