import { type Plugin, withoutUndefined } from "@haft/core";
import type { CommandNotice, ExecToolOptions } from "@haft/tools-exec";
import { createExecPlugin } from "@haft/tools-exec/plugin";
import type { JournalStore } from "@haft/tools-fs";
import { createFilesPlugin } from "@haft/tools-fs/plugin";

/** What every host has. They are plugins like any other, written with the public SDK. */
export function createBuiltInPlugins(
  journal: JournalStore | undefined,
  commands: { onExit: ((notice: CommandNotice) => void) | undefined; shell: ExecToolOptions["shell"] },
): readonly Plugin[] {
  return [createFilesPlugin(withoutUndefined({ journal })), createExecPlugin(withoutUndefined(commands))];
}
