import type { Processes, Workspace } from "@haft/core";
import { mapProcesses } from "@haft/core/internal";
import type { RequestedContainment } from "@haft/policy";
import { getViewEnvironment } from "@haft/sandbox/view";
import { createHostProcesses, type HostProcessesOptions } from "@haft/workspace";
import { type SessionWorkspace, withProcesses } from "@haft/workspace/internal/places";
import { hostError } from "../errors.ts";
import { withContainmentFacts } from "./contained-workspace.ts";

export interface PreviewContainedOptions {
  requested: RequestedContainment;
  home: string;
  processes: Omit<HostProcessesOptions, "workspace">;
}

/**
 * Previews a contained session with the programs of the host, in the environment of the commands. It opens
 * and creates nothing.
 */
export function previewContained(
  files: Workspace,
  { requested, home, processes }: PreviewContainedOptions,
): SessionWorkspace {
  const { environment } = processes;
  const set = { ...environment?.set, ...getViewEnvironment(requested, home) };
  const outside = once(() => createHostProcesses({ ...processes, workspace: files }));
  const inside = once(() =>
    createHostProcesses({ ...processes, environment: { ...environment, set }, workspace: files }),
  );
  const looking: Processes = {
    ...mapProcesses(refuse),
    info: async () => undefined,
    list: async () => [],
    identify: (names, where) => (where.outside === true ? outside : inside).get().identify(names, where),
  };
  return {
    workspace: withContainmentFacts(
      withProcesses(files, () => looking),
      { mode: requested.mode, network: requested.network },
    ),
    close: async () => void (await Promise.all([outside.made()?.close(), inside.made()?.close()])),
  };
}

const refuse = async (): Promise<never> => {
  throw hostError("PREVIEW_ONLY", "A preview is read-only: it opens no view of the host.");
};

function once<T>(make: () => T) {
  let made: T | undefined;
  return { get: () => (made ??= make()), made: () => made };
}
