import type { ContainmentFacts, Logger, Workspace } from "@haft/core";
import { lazy } from "@haft/core/internal";
import type { ContainmentWish } from "@haft/policy";
import type { SandboxLimits, SandboxUse } from "@haft/sandbox";
import { createHostProcesses, type HostProcesses, type HostProcessesOptions } from "@haft/workspace";
import {
  expectGroup,
  MAX_TASKS,
  type SessionWorkspace,
  withProcesses,
} from "@haft/workspace/internal/places";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { HostBoundary } from "../boundary/host-boundary.ts";
import type { KeptPlaces } from "../boundary/kept-folders.ts";
import { containedProcesses } from "./contained-processes.ts";
import { openSessionView, type ContainedView } from "./session-view.ts";
import { makeKeptFolders, viewPlaces } from "./view-places.ts";

export interface ContainedOptions {
  wish: ContainmentWish;
  boundary: HostBoundary;
  kept: KeptPlaces;
  folder: string;
  processes: Omit<HostProcessesOptions, "workspace">;
  offer?: ((hosts: readonly string[]) => string) | undefined;
  logger?: Logger | undefined;
}

export interface ContainedWorkspace extends SessionWorkspace {
  view(): Promise<ContainedView>;
  use(): ViewInUse | undefined;
}

export interface ViewInUse {
  use: SandboxUse;
  limits: Partial<SandboxLimits>;
}

export function createContainedWorkspace(files: Workspace, options: ContainedOptions): ContainedWorkspace {
  const { wish, processes } = options;
  const facts: ContainmentFacts = { mode: wish.mode, network: wish.network };
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
      allow: async (spec) => (await view()).allow(spec),
      // Where commands of an earlier program are known, they are asked for.
      hasBegun: () => inner !== undefined || processes.records !== undefined,
      after: async (goesOn) => (await current?.after(goesOn)) ?? false,
      outside: async (folder) => (await view()).outside(resolve(files.describe().cwd, folder ?? ".")),
      openForward: async (port) => (await view()).openForward(port),
      notices: (met) => current?.notices(met) ?? [],
    },
  );
  const shared = withProcesses(files, () => commands);
  return {
    workspace: withFacts(shared, facts),
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

async function openFor(files: Workspace, { wish, boundary, kept, folder, offer, logger }: ContainedOptions) {
  const { mounts } = files.describe();
  void expectGroup();
  const places = viewPlaces({ wish, mounts, boundary, kept });
  makeKeptFolders(kept, places.writable);
  for (const root of places.unlooked)
    logger?.warn(
      `There is too much in ${root} to look for secrets in all of it: what was not found can be read there.`,
    );
  const { projectSettings, startFiles, homeDir: home = homedir() } = boundary;
  return openSessionView({ wish, places, projectSettings, startFiles, home, folder, offer, logger });
}

export function withFacts(workspace: Workspace, containment: ContainmentFacts): Workspace {
  return {
    fs: workspace.fs,
    get processes() {
      return workspace.processes!;
    },
    describe: () => ({ ...workspace.describe(), containment }),
    ...(workspace.withRoot
      ? { withRoot: (name: string, path: string) => withFacts(workspace.withRoot!(name, path), containment) }
      : {}),
    ...(workspace.withConsent
      ? { withConsent: (places: readonly string[]) => withFacts(workspace.withConsent!(places), containment) }
      : {}),
  };
}
