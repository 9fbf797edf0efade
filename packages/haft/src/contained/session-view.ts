import { type Logger, type ProcessSpec, withoutUndefined } from "@haft/core";
import { type ContainmentWish, reachesHost } from "@haft/policy";
import { openGitBroker, openNetwork, openView, type View, type ViewNetwork } from "@haft/sandbox/internal";
import { makePrivateFolder } from "@haft/workspace/internal/system";
import type { RunnerView } from "@haft/workspace/internal/wire";
import { join } from "node:path";
import { outermost } from "../boundary/own-code.ts";
import type { AroundCommands } from "./contained-processes.ts";
import type { ViewPlaces } from "./view-places.ts";

/** Where Haft's own things are in a view. */
const NETWORK_INSIDE = "/run/haft/network";
const CACHES_INSIDE = "/run/haft/caches";

export interface SessionViewOptions {
  wish: ContainmentWish;
  places: ViewPlaces;
  /** What contained sessions of a workspace share, and nobody else: caches of package managers; and what is kept for them. */
  folder: string;
  logger?: Logger | undefined;
}

/** The view of one session, with what belongs to it. Made by its first command. */
export interface SessionView extends AroundCommands {
  /** For `createHostProcesses`. */
  launch: RunnerView;
  /** The walls one by one. */
  describe(): ReturnType<View["describe"]>;
  /** A way from the host's 127.0.0.1 to a port inside. */
  openForward(port: number): Promise<{ port: number; close(): void }>;
  close(): Promise<void>;
}

/** Programs keep what they fetch where these say, and not among what the user's own programs fetched. */
const CACHES = {
  XDG_CACHE_HOME: CACHES_INSIDE,
  npm_config_cache: `${CACHES_INSIDE}/npm`,
  YARN_CACHE_FOLDER: `${CACHES_INSIDE}/yarn`,
  PIP_CACHE_DIR: `${CACHES_INSIDE}/pip`,
  GOMODCACHE: `${CACHES_INSIDE}/go-mod`,
};

/** @throws HaftError `NETWORK_UNAVAILABLE`, `CONTAINMENT_BROKEN` */
export async function openSessionView(options: SessionViewOptions): Promise<SessionView> {
  const { wish, places, folder, logger } = options;
  const caches = join(folder, "caches");
  makePrivateFolder(folder);
  makePrivateFolder(caches);
  const git = await openGitBroker({ roots: places.roots, folder: join(folder, "git") });
  const isOpen = wish.network === "full";
  const network = isOpen
    ? undefined
    : await openNetwork(
        withoutUndefined({ allows: (host: string) => reachesHost(wish.network, host), logger }),
      );
  const view = openView(
    {
      writable: outermost([...places.writable, ...git.places.writable]),
      held: [...places.held, ...git.places.held],
      pinned: [...places.pinned, ...git.places.pinned],
      hidden: places.hidden,
      extra: [
        ...git.places.extra,
        { from: caches, to: CACHES_INSIDE, access: "rw" },
        ...(network === undefined
          ? []
          : [{ from: network.folder, to: NETWORK_INSIDE, access: "ro" as const }]),
      ],
      network: isOpen ? "full" : "none",
    },
    { onOpen: (open) => git.enter(open) },
  );
  const mended: string[] = [];
  const told = [...git.notices];
  return {
    launch: {
      ...view.launch,
      environment: { ...view.launch.environment, ...CACHES, ...network?.environment },
      prepare: (needs) => view.launch.prepare(needs),
      ...(network === undefined ? {} : { runner: network.runnerOptions(NETWORK_INSIDE) }),
    },
    async before({ network: hosts = [] }: ProcessSpec) {
      mended.push(...(await view.mend()));
      await git.mend();
      told.push(...(await git.refresh()));
      for (const host of hosts) network?.allow(host);
    },
    after: async () => [
      ...told.splice(0),
      ...(await mendedNotices()),
      ...(await git.takeBack()),
      ...refusedNotices(network),
    ],
    outside: async () => {},
    describe: () => view.describe(),
    async openForward(port) {
      if (network === undefined) return { port, close() {} };
      return network.openForward({ port });
    },
    async close() {
      await view.close();
      await Promise.all([network?.close(), git.close()]);
    },
  };

  async function mendedNotices(): Promise<string[]> {
    const paths = [...new Set([...mended.splice(0), ...(await view.mend())])];
    if (paths.length === 0) return [];
    return [`held again, since something on the host took its place meanwhile: ${paths.join(", ")}`];
  }
}

/** Hosts that were not reached, each once. */
function refusedNotices(network: ViewNetwork | undefined): string[] {
  if (network === undefined) return [];
  const { refusals, more } = network.takeRefusals();
  const told = refusals.map(({ message }) => message);
  return more === 0 ? told : [...told, `and ${more} more hosts were refused`];
}
