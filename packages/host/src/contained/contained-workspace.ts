import type { HostBoundary, ReservedPaths } from "@haft/config/internal/boundary";
import type { ContainmentFacts, Logger, Workspace } from "@haft/core";
import { reachesHost, type RequestedContainment } from "@haft/policy";
import type { SandboxLimits, SandboxUsage } from "@haft/sandbox";
import { type ContainedView, openSessionView } from "@haft/sandbox/view";
import { lazy } from "@haft/utils";
import { createHostProcesses, type HostProcesses, type HostProcessesOptions } from "@haft/workspace";
import {
  prepareGroup,
  MAX_TASKS,
  type SessionWorkspace,
  withProcesses,
} from "@haft/workspace/internal/places";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { containedProcesses } from "./contained-processes.ts";
import { createReservedFolders, resolveViewPaths } from "./view-paths.ts";

export interface ContainedOptions {
  requested: RequestedContainment;
  boundary: HostBoundary;
  reserved: ReservedPaths;
  folder: string;
  processes: Omit<HostProcessesOptions, "workspace">;
  offer?: ((hosts: readonly string[]) => string) | undefined;
  logger?: Logger | undefined;
}

export interface ContainedWorkspace extends SessionWorkspace {
  view(): Promise<ContainedView>;
  use(): ViewUsage | undefined;
}

export interface ViewUsage {
  use: SandboxUsage;
  limits: Partial<SandboxLimits>;
}

export function createContainedWorkspace(files: Workspace, options: ContainedOptions): ContainedWorkspace {
  const { requested, processes } = options;
  const facts: ContainmentFacts = { mode: requested.mode, network: requested.network };
  let opened: Promise<ContainedView> | undefined;
  let current: ContainedView | undefined;
  const open = async () => (current = await openFor(files, options));
  const view = lazy(() => (opened = open()));
  let inner: Promise<HostProcesses> | undefined;
  const start = async () => {
    try {
      const { launch } = await view();
      const made = createHostProcesses({ ...processes, workspace: files, view: launch });
      isolation = () => made.isolation;
      return made;
    } catch (thrown) {
      inner = undefined;
      throw thrown;
    }
  };
  let isolation: (() => HostProcesses["isolation"]) | undefined;
  let outer: HostProcesses | undefined;
  const commands = containedProcesses(
    () => (inner ??= start()),
    () => (outer ??= createHostProcesses({ ...processes, workspace: files })),
    {
      beforeCommand: async (spec) => (await view()).beforeCommand(spec),
      hasStarted: () => inner !== undefined || processes.records !== undefined,
      afterCommand: async (goesOn) => (await current?.afterCommand(goesOn)) ?? false,
      beforeUncontained: async (folder) =>
        (await view()).beforeUncontained(resolve(files.describe().cwd, folder ?? ".")),
      openForward: async (port) => (await view()).openForward(port),
      notices: (met) => current?.notices(met) ?? [],
    },
  );
  const shared = withProcesses(files, () => commands);
  return {
    workspace: withContainmentFacts(shared, facts),
    view,
    use() {
      const used = current?.use();
      if (used === undefined) return undefined;
      const { maxTasks = MAX_TASKS } = processes;
      const isLimited = isolation?.()?.limited === true;
      return { use: used.use, limits: { ...(isLimited && { tasks: maxTasks }), tmpMb: used.tmpMb } };
    },
    async close() {
      const opening = await inner?.catch(() => undefined);
      await Promise.all([opening?.close(), outer?.close()]);
      await commands.settled().catch(() => {});
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

async function openFor(
  files: Workspace,
  { requested, boundary, reserved, folder, offer, logger }: ContainedOptions,
) {
  const { mounts } = files.describe();
  void prepareGroup();
  const viewPaths = resolveViewPaths({ requested, mounts, boundary, reserved });
  createReservedFolders(reserved, viewPaths.writable);
  for (const root of viewPaths.unscannedRoots)
    logger?.warn(
      `${root} has too many files to search all of them for secrets. Commands can read secrets that the search did not reach.`,
    );
  const { projectSettings, startFiles, homeDir: home = homedir() } = boundary;
  return openSessionView({
    requested,
    reaches: (host) => reachesHost(requested.network, host),
    paths: viewPaths,
    projectSettings,
    startFiles,
    home,
    folder,
    offer,
    logger,
  });
}

export function withContainmentFacts(workspace: Workspace, containment: ContainmentFacts): Workspace {
  return {
    fs: workspace.fs,
    get processes() {
      return workspace.processes!;
    },
    describe: () => ({ ...workspace.describe(), containment }),
    ...(workspace.withRoot
      ? {
          withRoot: (name: string, path: string) =>
            withContainmentFacts(workspace.withRoot!(name, path), containment),
        }
      : {}),
    ...(workspace.withConsent
      ? {
          withConsent: (consentPaths: readonly string[]) =>
            withContainmentFacts(workspace.withConsent!(consentPaths), containment),
        }
      : {}),
  };
}
