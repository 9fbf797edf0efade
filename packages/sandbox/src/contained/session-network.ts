import type { ContainmentFacts, Logger } from "@haft/core";
import { attempt, readRegularFile } from "@haft/system";
import { makeFolder, withoutUndefined } from "@haft/utils";
import type { RunnerView } from "@haft/workspace/internal/wire";
import { writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import type { Attached } from "../view/network/full/attach.ts";
import { findFullNetwork } from "../view/network/full/full-network.ts";
import { networkEnvironment, openNetwork } from "../view/network/open-network.ts";
import { indexLines, registryLines } from "../view/network/registry-lines.ts";
import type { OpenNamespaces, ViewSpec } from "../view/view-spec.ts";

const NETWORK_INSIDE = "/run/haft/network";
const REGISTRIES_INSIDE = "/run/haft/registries";
export const CACHES_INSIDE = "/run/haft/caches";

/** Programs store downloads there, apart from those of the user's programs. */
export const CACHE_VARIABLES = {
  TMPDIR: "/tmp",
  XDG_CACHE_HOME: CACHES_INSIDE,
  npm_config_cache: `${CACHES_INSIDE}/npm`,
  YARN_CACHE_FOLDER: `${CACHES_INSIDE}/yarn`,
  PIP_CACHE_DIR: `${CACHES_INSIDE}/pip`,
  GOMODCACHE: `${CACHES_INSIDE}/go-mod`,
};

export function getCacheFolder(folder: string): string {
  return join(folder, "caches");
}

export interface SessionNetwork extends Pick<ViewSpec, "network" | "extra"> {
  runner?: RunnerView["runner"];
  /** Runs when the view is open, before its first command. */
  enter(open: OpenNamespaces): Promise<void>;
  allow(host: string): void;
  environment(): Readonly<Record<string, string>>;
  notices(): string[];
  openForward(port: number): Promise<{ port: number; close(): void }>;
  close(): Promise<void>;
}

/** @throws HaftError `NETWORK_UNAVAILABLE` */
export async function openSessionNetwork(
  wish: ContainmentFacts,
  {
    reaches,
    folder,
    home,
    offer,
    logger,
  }: {
    reaches: (host: string) => boolean;
    folder: string;
    home: string;
    offer?: ((hosts: readonly string[]) => string) | undefined;
    logger: Logger | undefined;
  },
): Promise<SessionNetwork> {
  const { network } = wish;
  const registries = keepRegistries(registriesOf(home), join(folder, "registries"));
  if (network === "full") {
    const environment = getNetworkEnvironment(wish, home);
    return { ...(await wholeNetwork(folder, registries)), environment: () => environment };
  }
  let environment = getNetworkEnvironment(wish, home);
  const list = await openNetwork(
    withoutUndefined({
      allows: reaches,
      localAddresses: typeof network === "string" ? [] : network.filter((host) => isIP(host) !== 0),
      offer,
      logger,
    }),
  );
  return {
    network: "none",
    extra: [...registries, { from: list.folder, to: NETWORK_INSIDE, access: "ro" }],
    runner: list.runnerOptions(NETWORK_INSIDE),
    enter: async () => {},
    allow(host) {
      list.allow(host);
      environment = getNetworkEnvironment(wish, home, true);
    },
    environment: () => environment,
    notices() {
      const { refusals, more } = list.takeRefusals();
      const told = refusals.map(({ message }) => message);
      return more === 0 ? told : [...told, `${more} more hosts were refused.`];
    },
    openForward: (port) => list.openForward({ port }),
    close: list.close,
  };
}

/** Uses a separate namespace if a program can connect it, else the host's network. */
async function wholeNetwork(
  folder: string,
  registries: SessionNetwork["extra"],
): Promise<Omit<SessionNetwork, "environment">> {
  const { kind, names, attach } = findFullNetwork();
  const own = kind !== "host";
  const extra = [...registries];
  if (own && names !== undefined) {
    const from = join(folder, "resolv.conf");
    writeFileSync(from, names.text);
    extra.push({ from, to: names.path, access: "ro" });
  }
  // In a separate namespace, ports of the view are not ports of the host.
  const inward = own ? await openNetwork({ allows: () => false }) : undefined;
  if (inward !== undefined) extra.push({ from: inward.folder, to: NETWORK_INSIDE, access: "ro" });
  const ways: Attached[] = [];
  const lost: string[] = [];
  return {
    network: own ? "none" : "full",
    extra,
    ...(inward === undefined ? {} : { runner: inward.runnerOptions(NETWORK_INSIDE) }),
    async enter(open) {
      if (!own) return;
      const way = await attach(open);
      ways.push(way);
      void way.ended.then((said) =>
        lost.push(`There is no network any more: ${kind} has ended. ${said}`.trim()),
      );
    },
    allow() {},
    notices: () => lost.splice(0),
    openForward: async (port) => inward?.openForward({ port }) ?? { port, close() {} },
    close: async () => {
      for (const way of ways.splice(0)) way.close();
      await inward?.close();
    },
  };
}

/**
 * Returns the environment variables that contained commands get in addition: places of caches, registries and the proxy. It opens nothing.
 *
 * @param wish How the commands are contained.
 * @param home The absolute home folder of the user.
 * @example
 * ```ts
 * import { getViewEnvironment } from "@haft/sandbox/view";
 * const { XDG_CACHE_HOME } = getViewEnvironment({ mode: "workspace", network: "none" }, "/home/ann");
 * ```
 */
export function getViewEnvironment(wish: ContainmentFacts, home: string): Readonly<Record<string, string>> {
  return { ...CACHE_VARIABLES, ...getNetworkEnvironment(wish, home) };
}

/** @param isLed whether any host is in reach */
function getNetworkEnvironment(
  wish: ContainmentFacts,
  home: string,
  isLed = isLedBy(wish),
): Readonly<Record<string, string>> {
  const registries = registriesOf(home).map(({ name, variable }) => [
    variable,
    `${REGISTRIES_INSIDE}/${name}`,
  ]);
  return { ...Object.fromEntries(registries), ...(wish.network === "full" ? {} : networkEnvironment(isLed)) };
}

function isLedBy({ network }: ContainmentFacts): boolean {
  return typeof network !== "string" && network.length > 0;
}

interface RegistryFile {
  name: string;
  variable: string;
  text: string;
}

function registriesOf(home: string): RegistryFile[] {
  const npm = registryLines(textOf(join(home, ".npmrc")));
  const pip = indexLines(textOf(join(home, ".config/pip/pip.conf")));
  return [
    { name: "npmrc", variable: "NPM_CONFIG_USERCONFIG", text: npm.text },
    { name: "pip.conf", variable: "PIP_CONFIG_FILE", text: pip.text },
  ].filter(({ text }) => text !== "");
}

function keepRegistries(files: readonly RegistryFile[], folder: string): SessionNetwork["extra"] {
  if (files.length === 0) return [];
  makeFolder(folder, 0o700);
  for (const { name, text } of files) writeFileSync(join(folder, name), text);
  return [{ from: folder, to: REGISTRIES_INSIDE, access: "ro" }];
}

function textOf(path: string): string {
  return attempt(() => readRegularFile(path, { followLink: true }).toString("utf8")) ?? "";
}
