import { HaftError, type Processes, type ToolEffect, type Workspace } from "@haft/core";
import { changesFiles, mapFileSystem, mapProcesses } from "@haft/core/internal";

/** Told of everything that is done through a port: what kind of effect it is, and what was done. */
export type Saw = (effect: ToolEffect, what: string) => void;

/** The same workspace; what is done through it is told. */
export function watchedWorkspace(workspace: Workspace, saw: Saw): Workspace {
  const { processes } = workspace;
  return {
    fs: mapFileSystem((operation, paths) => {
      saw(
        changesFiles(operation) ? "write" : "read",
        `fs.${operation}(${paths.map((path) => JSON.stringify(path)).join(", ")})`,
      );
      return workspace.fs;
    }),
    describe: () => workspace.describe(),
    ...(processes !== undefined && {
      processes: mapProcesses(() => {
        saw("execute", "processes");
        return processes;
      }),
    }),
    ...(workspace.withConsent !== undefined && {
      withConsent: (places) => watchedWorkspace(workspace.withConsent!(places), saw),
    }),
    ...(workspace.withRoot !== undefined && {
      withRoot: (name, path) => watchedWorkspace(workspace.withRoot!(name, path), saw),
    }),
  };
}

/** Processes of a place where no program is: starting one fails as it does for a program that is not installed. */
export function noProcesses(): Processes {
  return mapProcesses(() => {
    throw new HaftError("PROGRAM_NOT_FOUND", "There is no program here: this is a check, and starts none.", {
      category: "input",
      fix: "Say what to install, as where the program is really missing.",
      receipt: "none",
    });
  });
}
