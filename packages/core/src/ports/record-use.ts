import type { ToolEffect } from "../contract/plan.ts";
import type { Workspace } from "../contract/ports.ts";
import type { Processes } from "../contract/process-port.ts";
import { changesFiles, mapFileSystem, mapProcesses } from "./map-file-system.ts";

export type NoteUse = (effect: Extract<ToolEffect, "read" | "write" | "execute">, what: string) => void;

/** Reports reads, writes and started commands. */
export function recordUse(workspace: Workspace, note: NoteUse): Workspace {
  const { fs } = workspace;
  const files = mapFileSystem((operation, paths) => {
    if (operation !== "check")
      for (const path of paths) note(changesFiles(operation) ? "write" : "read", path);
    return fs;
  });
  const recorded: Workspace = {
    fs: { ...files, ...(fs.outerIgnores && { outerIgnores: (path: string) => fs.outerIgnores!(path) }) },
    describe: () => workspace.describe(),
    ...(workspace.openNodeWorkspace && {
      openNodeWorkspace: async (node?: string) => recordUse(await workspace.openNodeWorkspace!(node), note),
    }),
    ...(workspace.withRoot && {
      withRoot: (name: string, path: string) => recordUse(workspace.withRoot!(name, path), note),
    }),
    ...(workspace.withConsent && {
      withConsent: (allowed: readonly string[]) => recordUse(workspace.withConsent!(allowed), note),
    }),
  };
  if (!("processes" in workspace)) return recorded;
  let processes: Processes | undefined;
  const get = (): Processes => (processes ??= recordedProcesses(() => workspace.processes!, note));
  return Object.defineProperty(recorded, "processes", { enumerable: true, get });
}

function recordedProcesses(processes: () => Processes, note: NoteUse): Processes {
  const mapped = mapProcesses(processes);
  return {
    ...mapped,
    start: (callerId, spec, options) => {
      note("execute", spec.script ?? (spec.argv ?? []).join(" "));
      return mapped.start(callerId, spec, options);
    },
    notices: (met) => processes().notices?.(met) ?? [],
  };
}
