import { type Plugin, withoutUndefined } from "@haft/core";
import type { ExecToolOptions } from "@haft/tools-exec";
import { createExecPlugin } from "@haft/tools-exec/plugin";
import type { JournalStore } from "@haft/tools-fs";
import { createFilesPlugin } from "@haft/tools-fs/plugin";

/** What every host has. They are plugins like any other, written with the public SDK. */
export function createBuiltInPlugins(
  journal: JournalStore | undefined,
  commands: Pick<ExecToolOptions, "onExit" | "backgroundMs" | "longestWaitMs" | "shell">,
): readonly Plugin[] {
  return [createFilesPlugin(withoutUndefined({ journal })), createExecPlugin(commands)];
}
