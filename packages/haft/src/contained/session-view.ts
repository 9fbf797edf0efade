import { type ContainmentFacts, type Logger, messageOf, type ProcessSpec } from "@haft/core";
import type { ContainmentWish } from "@haft/policy";
import {
  createLookout,
  endPlanter,
  findTrackedSecrets,
  finishLooks,
  type Lookout,
  notSearched,
  openGitBroker,
  openView,
  probeFileTimes,
  requireEntry,
  rootRights,
  type View,
} from "@haft/sandbox/internal";
import { PROJECT_SETTINGS, START_FILES } from "@haft/workspace";
import { attempt, makePrivateFolder } from "@haft/workspace/internal/system";
import type { RunnerView } from "@haft/workspace/internal/wire";
import { join } from "node:path";
import { outermost } from "../boundary/own-code.ts";
import { hostError } from "../errors.ts";
import type { AroundCommands } from "./contained-processes.ts";
import { environmentOfNetwork, openSessionNetwork } from "./session-network.ts";
import type { ViewPlaces } from "./view-places.ts";
import { createWallsMet } from "./walls-met.ts";

/** What was moved aside, and what hides changes from a person's git. */
const TO_A_PERSON = /^(?:Held back|Not held back|Git )|while commands ran/;
const CACHES_INSIDE = "/run/haft/caches";
const EXCLUDES_INSIDE = "/run/haft/git-excludes";

export interface SessionViewOptions {
  wish: ContainmentWish;
  places: ViewPlaces;
  projectSettings?: readonly string[] | undefined;
  startFiles?: readonly string[] | undefined;
  home: string;
  folder: string;
  offer?: ((hosts: readonly string[]) => string) | undefined;
  logger?: Logger | undefined;
}

export interface ContainedView extends Omit<AroundCommands, "hasBegun"> {
  launch: RunnerView;
  use: View["use"];
  describe(): ReturnType<View["describe"]>;
  close(): Promise<void>;
}

/** Where the caches are that contained sessions of a workspace share, and nobody else has. */
export function cachesIn(folder: string): string {
  return join(folder, "caches");
}

export function viewEnvironment(wish: ContainmentWish, home: string): Readonly<Record<string, string>> {
  return { ...PLACES, ...environmentOfNetwork(wish, home) };
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
  const { wish, places, home, folder, offer, logger } = options;
  const { projectSettings = PROJECT_SETTINGS, startFiles = START_FILES } = options;
  const facts: ContainmentFacts = { mode: wish.mode, network: wish.network };
  const caches = cachesIn(folder);
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
  const unfinished = await finishLooks(looked);
  const [git, network] = await Promise.all([
    openGitBroker({
      roots: places.roots,
      folder: join(folder, "git"),
      kept: join(folder, "held-back", "git-settings"),
    }),
    openSessionNetwork(wish, { folder, home, offer, logger }),
  ]);
  // A repository of a linked working tree may lie on another file system.
  const outside = await probeFileTimes(git.places.writable).catch(async (thrown: unknown) => {
    await Promise.allSettled([network.close(), git.close()]);
    throw thrown;
  });
  const slackMs = Math.max(looked.slackMs, outside.slackMs);
  const secrets = await findTrackedSecrets({
    hidden: places.hidden,
    roots: places.roots,
    places: [...places.roots, ...git.repositories],
    folder: join(folder, "shown"),
  });
  const map = {
    writable: outermost([...places.writable, ...git.places.writable]),
    held: [...places.held, ...git.places.held],
    pinned: [...places.pinned, ...git.places.pinned],
    hidden: secrets.hidden,
    shown: secrets.shown,
    unsearched: git.places.unsearched,
  };
  const told = [...unfinished, ...rootRights(places.roots), ...git.notices];
  let made: Lookout | undefined;
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
    (made ??= createLookout({
      ...looked,
      patterns: [...looked.patterns, ...git.places.patterns],
      roots: places.roots,
      repositories: git.repositories,
      slackMs,
      held: map.held,
      hold: (paths) => view.hold(paths),
      async adopt(folders, clean) {
        const adopted = await git.adopt(folders, {
          hold: (held, pinned) => view.hold(held, pinned),
          clean,
        });
        told.push(...adopted.notices);
        return adopted;
      },
      async restrict(folders) {
        told.push(notSearched(folders));
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
        ...git.places.extra,
        { from: caches, to: CACHES_INSIDE, access: "rw" },
        ...(secrets.excludes === undefined
          ? []
          : [{ from: secrets.excludes, to: EXCLUDES_INSIDE, access: "ro" as const }]),
        ...network.extra,
      ],
      looked: places.looked,
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
  const wallsMet = createWallsMet(facts, map, () => view.describe().sockets);
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
        const mended = await view.mend();
        if (mended.length > 0)
          told.push(`Held from now on, since it was made, or replaced on the host: ${mended.join(", ")}.`);
        const changed = await git.changedPlaces();
        if (changed !== undefined) {
          await view.hold(changed.held, changed.pinned);
          lookout().expect(changed.held, changed.patterns);
        }
        await lookout().before();
        told.push(...(await git.before()));
      },
      ...(network.runner === undefined ? {} : { runner: network.runner }),
    },
    allow({ network: hosts = [] }: ProcessSpec) {
      for (const host of hosts) network.allow(host);
    },
    async after(goesOn) {
      const still = goesOn || view.hasLeftRunning();
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
    async outside(folderOfCommand = "") {
      if (!(await lookout().finish()))
        throw hostError(
          "LEFT_UNSEARCHED",
          `What contained commands left is searched for what others would run, and that takes long: ${lookout().report().notices.join(" ")}`,
        );
      const came = lookout().cameFrom(folderOfCommand);
      if (came !== undefined)
        throw hostError(
          "REPOSITORY_OF_COMMANDS",
          `${folderOfCommand} is in the repository ${came.path}, which a contained command made or brought, so nothing is started there outside.`,
          { details: { repository: came.path } },
        );
    },
    use: () => view.use(),
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
          logger?.warn(`A contained session did not end as it should: ${messageOf(end.reason)}`);
      }
    },
  };
}
