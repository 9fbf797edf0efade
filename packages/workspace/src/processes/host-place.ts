import type { Workspace } from "@haft/core";
import { checkOptions, optionsSchema } from "@haft/core/internal";
import { createHostWorkspace, type HostWorkspaceOptions } from "../files/host-workspace.ts";
import { hostGuards } from "../system/host-guards.ts";
import { FOLDER_OPTIONS } from "./folder-options.ts";
import { createHostProcesses, type HostProcesses, type HostProcessesOptions } from "./host-processes.ts";
import { withProcesses } from "./session-workspace.ts";

export interface HostPlace {
  /**
   * The same one again, until there is another host in this process: what that keeps is kept from these tools, too.
   *
   * @throws HaftError `ROOT_INVALID`, `PLATFORM_UNSUPPORTED`
   */
  workspace(): Workspace;
  close(): Promise<void>;
}

const FOLDER = /* @__PURE__ */ optionsSchema<HostWorkspaceOptions>(FOLDER_OPTIONS, ["root"]);

/**
 * @param caller whose options these are, for what is said of wrong ones
 * @param commands What commands start from; without it there are none
 * @throws HaftError `INVALID_OPTIONS`
 */
export function openHostPlace(
  caller: string,
  folder: HostWorkspaceOptions,
  commands?: Omit<HostProcessesOptions, "workspace">,
): HostPlace {
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
