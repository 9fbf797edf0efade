import { removeNestedPaths } from "@haft/config/internal/boundary";
import { type ContainmentFacts, type Logger, getErrorMessage, type ProcessSpec } from "@haft/core";
import type { RequestedContainment } from "@haft/policy";
import {
  createArtifactScanner,
  endPlanter,
  findTrackedSecrets,
  finishScans,
  type ArtifactScanner,
  formatUnsearchedNotice,
  openGitBroker,
  openView,
  probeFileTimes,
  requireEntry,
  rootRights,
  type View,
} from "@haft/sandbox/internal";
import { attempt, makePrivateFolder } from "@haft/system";
import { PROJECT_SETTINGS, START_FILES } from "@haft/workspace";
import type { RunnerView } from "@haft/workspace/internal/wire";
import { join } from "node:path";
import { hostError } from "../errors.ts";
import type { CommandHooks } from "./contained-processes.ts";
import { createDenialDetector } from "./denial-detector.ts";
import { getNetworkEnvironment, openSessionNetwork } from "./session-network.ts";
import type { ViewPaths } from "./view-paths.ts";

/** What was moved aside, and what hides changes from a person's git. */
const TO_A_PERSON = /^(?:Held back|Not held back|Git )|while commands ran/;
const CACHES_INSIDE = "/run/haft/caches";
const EXCLUDES_INSIDE = "/run/haft/git-excludes";

export interface SessionViewOptions {
  requested: RequestedContainment;
  paths: ViewPaths;
  projectSettings?: readonly string[] | undefined;
  startFiles?: readonly string[] | undefined;
  home: string;
  folder: string;
  offer?: ((hosts: readonly string[]) => string) | undefined;
  logger?: Logger | undefined;
}

export interface ContainedView extends Omit<CommandHooks, "hasStarted"> {
  launch: RunnerView;
  use: View["usage"];
  describe(): ReturnType<View["describe"]>;
  close(): Promise<void>;
}

/** Where the caches are that contained sessions of a workspace share, and nobody else has. */
export function getCacheFolder(folder: string): string {
  return join(folder, "caches");
}

export function getViewEnvironment(
  wish: RequestedContainment,
  home: string,
): Readonly<Record<string, string>> {
  return { ...PLACES, ...getNetworkEnvironment(wish, home) };
}

/** Programs keep what they fetch where these say, and not among what the user's own programs fetched. */
const PLACES = {
  TMPDIR: "/tmp",
  XDG_CACHE_HOME: CACHES_INSIDE,
  npm_config_cache: `${CACHES_INSIDE}/npm`,
  YARN_CACHE_FOLDER: `${CACHES_INSIDE}/yarn`,
  PIP_CACHE_DIR: `${CACHES_INSIDE}/pip`,
  GOMODCACHE: `${CACHES_INSIDE}/go-mod`,
};

/** @throws HaftError `NETWORK_UNAVAILABLE`, `CONTAINMENT_BROKEN` */
export async function openSessionView(options: SessionViewOptions): Promise<ContainedView> {
  const { requested, paths: places, home, folder, offer, logger } = options;
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
  // Before what is there counts as the user's.
  const unfinished = await finishScans(looked);
  const [git, network] = await Promise.all([
    openGitBroker({
      roots: places.roots,
      folder: join(folder, "git"),
      backupFolder: join(folder, "held-back", "git-settings"),
    }),
    openSessionNetwork(requested, { folder, home, offer, logger }),
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
  /** A person is told at once what was moved aside: it may be theirs. */
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
      // Before any command, and while its walls are put up; where it fails, the command is told.
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
        return { ...PLACES, ...network.environment() };
      },
      ...(secrets.excludes !== undefined && {
        gitSettings: [["core.excludesFile", EXCLUDES_INSIDE]] as const,
      }),
      prepare: (needs) => view.launch.prepare(needs),
      async ready() {
        const mended = await view.repair();
        if (mended.length > 0)
          told.push(`Held from now on, since it was made, or replaced on the host: ${mended.join(", ")}.`);
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
        throw hostError(
          "LEFT_UNSEARCHED",
          `What contained commands left is searched for what others would run, and that takes long: ${lookout().report().notices.join(" ")}`,
        );
      const came = lookout().findProvenance(folderOfCommand);
      if (came !== undefined)
        throw hostError(
          "REPOSITORY_OF_COMMANDS",
          `${folderOfCommand} is in the repository ${came.path}, which a contained command made or brought, so nothing is started there outside.`,
          { details: { repository: came.path } },
        );
    },
    use: () => view.usage(),
    describe: () => view.describe(),
    openForward: (port) => network.openForward(port),
    async close() {
      // Nothing runs any more, so this is the last that can have come.
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
