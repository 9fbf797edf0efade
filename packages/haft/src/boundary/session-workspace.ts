import type { Processes, Workspace } from "@haft/core";
import { createHostProcesses, type HostProcesses, type HostProcessesOptions } from "@haft/workspace";

export interface SessionWorkspace {
  workspace: Workspace;
  /** Ends every process the session ever started. */
  close(): Promise<void>;
}

/**
 * The host's files, shared by its sessions, with processes of one session's own: they end with
 * it, and no other session sees them. Nothing is started before the first command.
 */
export function createSessionWorkspace(
  files: Workspace,
  options: Omit<HostProcessesOptions, "workspace">,
): SessionWorkspace {
  let processes: HostProcesses | undefined;
  const open = (): Processes => (processes ??= createHostProcesses({ ...options, workspace: files }));
  return {
    workspace: withProcesses(files, open),
    close: async () => processes?.close(),
  };
}

/** The same files with other processes. They are asked for each time, because nothing is started before the first command. */
export function withProcesses(files: Workspace, open: () => Processes): Workspace {
  return {
    fs: files.fs,
    describe: () => files.describe(),
    get processes() {
      return open();
    },
    ...(files.withRoot
      ? { withRoot: (name: string, path: string) => withProcesses(files.withRoot!(name, path), open) }
      : {}),
    ...(files.withConsent
      ? { withConsent: (places: readonly string[]) => withProcesses(files.withConsent!(places), open) }
      : {}),
  };
}
