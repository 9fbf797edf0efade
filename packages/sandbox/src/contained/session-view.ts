import {
  type ContainmentFacts,
  type Logger,
  getErrorMessage,
  type Processes,
  type ProcessSpec,
} from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { attempt, makePrivateFolder, removeNestedPaths } from "@haft/system";
import { PROJECT_SETTINGS } from "@haft/workspace";
import { START_FILES } from "@haft/workspace/internal/boundary";
import type { RunnerView } from "@haft/workspace/internal/wire";
import { join } from "node:path";
import { sandboxError } from "../errors.ts";
import { type ArtifactScanner, createArtifactScanner } from "../view/artifacts/create-artifact-scanner.ts";
import { finishScans } from "../view/artifacts/finish-scans.ts";
import { endPlanter } from "../view/artifacts/planters/end-planter.ts";
import { requireEntry, rootRights } from "../view/file-rights/root-rights.ts";
import { probeFileTimes } from "../view/file-times/probe-file-times.ts";
import { formatUnsearchedNotice } from "../view/git/git-mounts.ts";
import { openGitBroker } from "../view/git/open-git-broker.ts";
import { openView } from "../view/open-view.ts";
import { findTrackedSecrets } from "../view/tracked/tracked-secrets.ts";
import type { View } from "../view/view.ts";
import { createDenialDetector } from "./denial-detector.ts";
import { CACHES_INSIDE, CACHE_VARIABLES, getCacheFolder, openSessionNetwork } from "./session-network.ts";
import type { ViewPaths } from "./view-paths.ts";

/** Notices for a person: moved files, and causes that hide changes from git. */
const TO_A_PERSON = /^(?:Held back|Not held back|Git )|while commands ran/;
const EXCLUDES_INSIDE = "/run/haft/git-excludes";

/**
 * Options of {@link openSessionView}.
 *
 * @example
 * ```ts
 * import type { SessionViewOptions, ViewPaths } from "@haft/sandbox/view";
 * declare const paths: ViewPaths;
 * const options: SessionViewOptions = {
 *   requested: { mode: "workspace", network: ["registry.example.com"] },
 *   reaches: (host) => host === "registry.example.com",
 *   paths,
 *   home: "/home/ann",
 *   folder: "/home/ann/.local/state/bot/contained",
 * };
 * ```
 */
export interface SessionViewOptions {
  /** How the commands are contained. */
  requested: ContainmentFacts;
  /** Whether commands reach a host: a name in lower case, or an address without brackets. Used for a list of hosts. */
  reaches: (host: string) => boolean;
  /** The paths of the session. */
  paths: ViewPaths;
  /** Patterns of settings of projects that start programs. Default: `PROJECT_SETTINGS` of `@haft/workspace`. */
  projectSettings?: readonly string[] | undefined;
  /** Patterns of further files that start programs. Default: those that Haft knows. */
  startFiles?: readonly string[] | undefined;
  /** The absolute home folder of the user. */
  home: string;
  /** A private folder for the caches, the quarantine and the git settings that contained sessions of one workspace share. */
  folder: string;
  /** Returns the end of a sentence that says what to do about refused hosts. */
  offer?: ((hosts: readonly string[]) => string) | undefined;
  /** Receives what a person has to know at once. */
  logger?: Logger | undefined;
}

/**
 * The view of one session, for `createHostProcesses({ view })`. A host calls the methods around each command.
 *
 * @example
 * ```ts
 * import { type ContainedView, openSessionView } from "@haft/sandbox/view";
 * import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
 * declare const options: Parameters<typeof openSessionView>[0];
 * const view: ContainedView = await openSessionView(options);
 * const workspace = createHostWorkspace({ root: "/srv/project" });
 * const processes = createHostProcesses({ workspace, view: view.launch });
 * ```
 */
export interface ContainedView {
  /** Starts the runner of commands in the view. */
  launch: RunnerView;
  /** Returns what all processes in the view use, and the size of their private `/tmp`; `undefined` while the view is not open. */
  use: View["usage"];
  /** Returns what is held, hidden and masked. */
  describe(): ReturnType<View["describe"]>;
  /** Call it before a command with hosts that a person approved: the command reaches them. */
  beforeCommand(spec: ProcessSpec): void;
  /**
   * Searches what a command left. Call it after each command that ended, before the next.
   * @param goesOn Whether other commands still run.
   * @returns whether anything still runs in the view
   */
  afterCommand(goesOn: boolean): Promise<boolean>;
  /**
   * Call it before a command that runs outside of the view.
   * @param folder The folder of the command.
   * @throws HaftError `LEFT_UNSEARCHED`, `REPOSITORY_OF_COMMANDS`
   */
  beforeUncontained(folder?: string): Promise<void>;
  /** Opens a way from 127.0.0.1 of the host to a port of the view. */
  openForward(port: number): Promise<{ port: number; close(): void }>;
  /** Returns, once, what the model has to know after a command. */
  notices: NonNullable<Processes["notices"]>;
  /** Ends the view, after a last search. */
  close(): Promise<void>;
}

/**
 * Opens a view of this machine for the commands of one session. The first command starts it.
 *
 * @throws HaftError `NETWORK_UNAVAILABLE`, `CONTAINMENT_BROKEN`, `CONTAINMENT_UNAVAILABLE`
 * @example
 * ```ts
 * import { openSessionView, probeView } from "@haft/sandbox/view";
 * declare const options: Parameters<typeof openSessionView>[0];
 * const { available, reason } = await probeView();
 * if (!available) throw new Error(reason);
 * const view = await openSessionView(options);
 * ```
 */
export async function openSessionView(options: SessionViewOptions): Promise<ContainedView> {
  requireKnownOptions<SessionViewOptions>("openSessionView", options, {
    requested: true,
    reaches: true,
    paths: true,
    projectSettings: true,
    startFiles: true,
    home: true,
    folder: true,
    offer: true,
    logger: true,
  });
  const { requested, reaches, paths: places, home, folder, offer, logger } = options;
  const { projectSettings = PROJECT_SETTINGS, startFiles = START_FILES } = options;
  const facts: ContainmentFacts = { mode: requested.mode, network: requested.network };
  const caches = getCacheFolder(folder);
  makePrivateFolder(folder);
  makePrivateFolder(caches);
  requireEntry(places.roots);
  const times = await probeFileTimes(places.roots);
  const looked = {
    patterns: [...projectSettings, ...startFiles],
    folder,
    homeDir: home,
    hidden: places.hidden,
    caches: places.writable.filter((path) => !places.roots.includes(path)),
    slackMs: times.slackMs,
  };
  // First, because other files then count as the user's.
  const unfinished = await finishScans(looked);
  const [git, network] = await Promise.all([
    openGitBroker({
      roots: places.roots,
      folder: join(folder, "git"),
      backupFolder: join(folder, "held-back", "git-settings"),
    }),
    openSessionNetwork(requested, { reaches, folder, home, offer, logger }),
  ]);
  // A repository of a linked working tree may lie on another file system.
  const outside = await probeFileTimes(git.mounts.writable).catch(async (thrown: unknown) => {
    await Promise.allSettled([network.close(), git.close()]);
    throw thrown;
  });
  const slackMs = Math.max(looked.slackMs, outside.slackMs);
  const secrets = await findTrackedSecrets({
    hidden: places.hidden,
    roots: places.roots,
    gitFolders: [...places.roots, ...git.repositories],
    folder: join(folder, "shown"),
  });
  const map = {
    writable: removeNestedPaths([...places.writable, ...git.mounts.writable]),
    readOnly: [...places.readOnly, ...git.mounts.readOnly],
    pinned: [...places.pinned, ...git.mounts.pinned],
    hidden: secrets.hidden,
    replaced: secrets.replaced,
    unsearched: git.mounts.unsearched,
  };
  const told = [...unfinished, ...rootRights(places.roots), ...git.notices];
  let made: ArtifactScanner | undefined;
  const shown = new Set<string>();
  /** Reports moved files to the person at once. */
  const found = (): string[] => {
    const notices = made?.report().notices ?? [];
    for (const notice of notices.filter((one) => TO_A_PERSON.test(one))) {
      logger?.warn(notice);
      shown.add(notice);
    }
    return notices;
  };
  const lookout = () =>
    (made ??= createArtifactScanner({
      ...looked,
      patterns: [...looked.patterns, ...git.mounts.patterns],
      roots: places.roots,
      repositories: git.repositories,
      slackMs,
      readOnly: map.readOnly,
      protect: (paths) => view.protect(paths),
      async adopt(folders, clean) {
        const adopted = await git.adopt(folders, {
          protect: (held, pinned) => view.protect(held, pinned),
          clean,
        });
        told.push(...adopted.notices);
        return adopted;
      },
      async restrict(folders) {
        told.push(formatUnsearchedNotice(folders));
        await view.restrict(folders);
      },
      release: () => view.release(),
      async endPlanter(path, clear) {
        const pid = view.pid();
        return pid === undefined ? undefined : endPlanter(pid, path, clear);
      },
      warn: (notices) => notices.forEach((notice) => logger?.warn(notice)),
    }));
  const view = openView(
    {
      ...map,
      extra: [
        ...places.extra,
        ...git.mounts.extra,
        { from: caches, to: CACHES_INSIDE, access: "rw" },
        ...(secrets.excludes === undefined
          ? []
          : [{ from: secrets.excludes, to: EXCLUDES_INSIDE, access: "ro" as const }]),
        ...network.extra,
      ],
      socketFolders: places.socketFolders,
      network: network.network,
    },
    {
      // Runs before any command; a failure is reported with the command.
      onStart: () => setImmediate(() => attempt(lookout)),
      onOpen: async (open) => {
        await git.enter(open);
        await network.enter(open);
      },
    },
  );
  const wallsMet = createDenialDetector(facts, map, () => view.describe().sockets);
  return {
    launch: {
      ...view.launch,
      get environment() {
        return { ...CACHE_VARIABLES, ...network.environment() };
      },
      ...(secrets.excludes !== undefined && {
        gitSettings: [["core.excludesFile", EXCLUDES_INSIDE]] as const,
      }),
      prepare: (needs) => view.launch.prepare(needs),
      async ready() {
        const mended = await view.repair();
        if (mended.length > 0)
          told.push(
            `Protected from contained commands from now on, because the host created or replaced it: ${mended.join(", ")}.`,
          );
        const changed = await git.takeChangedMounts();
        if (changed !== undefined) {
          await view.protect(changed.readOnly, changed.pinned);
          lookout().expect(changed.readOnly, changed.patterns);
        }
        await lookout().before();
        told.push(...(await git.before()));
      },
      ...(network.runner === undefined ? {} : { runner: network.runner }),
    },
    beforeCommand({ network: hosts = [] }: ProcessSpec) {
      for (const host of hosts) network.allow(host);
    },
    async afterCommand(goesOn) {
      const still = goesOn || view.hasRunningProcesses();
      await lookout().after(still);
      told.push(...found());
      told.push(...(await git.after(still)));
      return still;
    },
    notices(met) {
      const refused = network.notices();
      const walls = met === undefined ? [] : wallsMet(met, refused.length > 0);
      return [...told.splice(0), ...found(), ...refused, ...walls];
    },
    async beforeUncontained(folderOfCommand = "") {
      if (!(await lookout().finish()))
        throw sandboxError(
          "LEFT_UNSEARCHED",
          `What contained commands left is searched for what others would run, and that takes long: ${lookout().report().notices.join(" ")}`,
        );
      const came = lookout().findProvenance(folderOfCommand);
      if (came !== undefined)
        throw sandboxError(
          "REPOSITORY_OF_COMMANDS",
          `${folderOfCommand} is in the repository ${came.path}, which a contained command made or brought, so nothing is started there outside.`,
          { details: { repository: came.path } },
        );
    },
    use: () => view.usage(),
    describe: () => view.describe(),
    openForward: (port) => network.openForward(port),
    async close() {
      await made?.finish(true).catch(() => undefined);
      for (const notice of [...told.splice(0), ...found()]) if (!shown.has(notice)) logger?.warn(notice);
      await made?.close();
      await view.close();
      secrets.close();
      const ends = await Promise.allSettled([network.close(), git.close()]);
      for (const end of ends) {
        if (end.status === "rejected")
          logger?.warn(`A contained session did not end as it should: ${getErrorMessage(end.reason)}`);
      }
    },
  };
}
