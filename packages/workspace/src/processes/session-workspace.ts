import type { FileSystem, Processes, Workspace, WorkspaceDescription } from "@haft/core";
import { checkOptions, optionsSchema } from "@haft/core/internal";
import { hostGuards } from "../boundary/host-guards.ts";
import { createHostWorkspace, type HostWorkspaceOptions } from "../files/host-workspace.ts";
import { FOLDER_OPTIONS } from "./folder-options.ts";
import { createHostProcesses, type HostProcesses, type HostProcessesOptions } from "./host-processes.ts";

export { MAX_TASKS } from "../defaults.ts";
export { prepareGroup } from "./session-group.ts";

export interface SessionWorkspace {
  workspace: Workspace;
  close(): Promise<void>;
}

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

export function withProcesses(files: Workspace, open: () => Processes): Workspace {
  return new WithProcesses(files, open);
}

class WithProcesses implements Workspace {
  readonly fs: FileSystem;
  readonly withRoot?: (name: string, path: string) => Workspace;
  readonly withConsent?: (paths: readonly string[]) => Workspace;
  readonly #files: Workspace;
  readonly #open: () => Processes;

  constructor(files: Workspace, open: () => Processes) {
    this.fs = files.fs;
    this.#files = files;
    this.#open = open;
    if (files.withRoot) this.withRoot = (name, path) => new WithProcesses(files.withRoot!(name, path), open);
    if (files.withConsent) this.withConsent = (paths) => new WithProcesses(files.withConsent!(paths), open);
  }

  get processes(): Processes {
    return this.#open();
  }

  describe(): WorkspaceDescription {
    return this.#files.describe();
  }
}

/** Represents the workspace of tools that are used without a host. */
export interface HostTarget {
  /**
   * Returns the same workspace until this process has another host, whose files a new workspace protects.
   * @throws HaftError `ROOT_INVALID`, `PLATFORM_UNSUPPORTED`
   */
  workspace(): Workspace;
  /** Ends the commands of the workspace. */
  close(): Promise<void>;
}

const FOLDER = /* @__PURE__ */ optionsSchema<HostWorkspaceOptions>(FOLDER_OPTIONS, ["root"]);

/**
 * Returns the workspace of a folder of this machine for tools that are used without a host.
 *
 * @param caller the name of the function whose options these are, for error messages
 * @param folder the workspace folder and further roots
 * @param commands options of commands; without them the workspace starts no commands
 * @throws HaftError `INVALID_OPTIONS`
 * @example
 * ```ts
 * import { openHostTarget } from "@haft/workspace";
 * const target = openHostTarget("createMyTools", { root: process.cwd() });
 * const file = await target.workspace().fs.read("README.md");
 * await target.close();
 * ```
 */
export function openHostTarget(
  caller: string,
  folder: HostWorkspaceOptions,
  commands?: Omit<HostProcessesOptions, "workspace">,
): HostTarget {
  checkOptions(caller, folder, FOLDER);
  let opened: { workspace: Workspace; hosts: number } | undefined;
  let processes: HostProcesses | undefined;
  return {
    workspace() {
      const { count, ...guards } = hostGuards();
      if (opened?.hosts === count) return opened.workspace;
      const files = createHostWorkspace({ ...guards, ...folder });
      const start = () => (processes ??= createHostProcesses({ ...commands, workspace: files }));
      opened = { workspace: commands === undefined ? files : withProcesses(files, start), hosts: count };
      return opened.workspace;
    },
    close: async () => processes?.close(),
  };
}
