import { makePrivateFolder } from "@haft/system";
import { chownSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Forward, openForwards } from "./open-forwards.ts";
import type { ProxyRefusal } from "./proxy/refusal.ts";
import { type ProxyOptions, startProxy } from "./proxy/start-proxy.ts";

export interface NetworkOptions extends Omit<ProxyOptions, "socket"> {
  /**
   * A folder, made if it is not there, in which the network has one of its own; that of temporary files by default. Views have
   * to hide it: whoever reaches the sockets in it has this network.
   */
  folder?: string;
  /** Who the commands run as, unless as who runs this. */
  owner?: { uid: number; gid: number };
}

/**
 * The network of one view, its own loopback aside: a proxy with a list, ways in for a person's browser. A list that allows
 * nothing is the network `none`: nothing goes out, and what was wanted has a name.
 */
export interface ViewNetwork {
  folder: string;
  /**
   * For the runner in the view.
   *
   * @param inside where the folder is in there
   */
  runnerOptions: (inside: string) => { bridges: { port: number; socket: string }[]; forwards: string };
  environment: Readonly<Record<string, string>>;
  /** Lets a host through that a person agreed to. @throws HaftError `INVALID_OPTIONS` */
  allow: (host: string) => void;
  /** The hosts that were refused since this was last asked, each once. At most 20, and how many more there were. */
  takeRefusals: () => { refusals: readonly ProxyRefusal[]; more: number };
  /** A way from the host's 127.0.0.1 to a port inside. */
  openForward: (options: { port: number }) => Promise<Forward>;
  close: () => Promise<void>;
}

/** Of the view's own loopback, on which nothing else is when it opens. */
const PROXY_PORT = 3128;
const PROXY_SOCKET = "proxy.sock";
const FORWARDS_SOCKET = "forwards.sock";
/** Variables of commands. @param isLed whether any host is in reach: Node is led there then */
export function networkEnvironment(isLed: boolean): Readonly<Record<string, string>> {
  return proxyEnvironment(PROXY_PORT, isLed);
}
const MAX_REFUSALS = 20;

export async function openNetwork(options: NetworkOptions): Promise<ViewNetwork> {
  const { folder: parent, owner, onRefused, ...rest } = options;
  if (parent !== undefined) makePrivateFolder(parent);
  const folder = realpathSync(mkdtempSync(join(parent ?? tmpdir(), "haft-net-")));
  const refused = new Map<string, ProxyRefusal>();
  let more = 0;
  const note = (refusal: ProxyRefusal): void => {
    onRefused?.(refusal);
    if (refused.has(refusal.message)) return;
    if (refused.size < MAX_REFUSALS) refused.set(refusal.message, refusal);
    else more++;
  };
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const one of closing.splice(0).toReversed()) await one();
  };
  try {
    const proxy = await startProxy({ ...rest, socket: join(folder, PROXY_SOCKET), onRefused: note });
    closing.push(proxy.close);
    const forwards = await openForwards(join(folder, FORWARDS_SOCKET));
    closing.push(forwards.close);
    if (owner !== undefined) {
      for (const path of [folder, join(folder, PROXY_SOCKET), join(folder, FORWARDS_SOCKET)])
        chownSync(path, owner.uid, owner.gid);
    }
    return {
      folder,
      runnerOptions: (inside) => ({
        bridges: [{ port: PROXY_PORT, socket: join(inside, PROXY_SOCKET) }],
        forwards: join(inside, FORWARDS_SOCKET),
      }),
      environment: networkEnvironment(true),
      allow: proxy.allow,
      takeRefusals: () => {
        const taken = { refusals: [...refused.values()], more };
        refused.clear();
        more = 0;
        return taken;
      },
      openForward: ({ port }) => forwards.open(port),
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

const INSIDE = "localhost,127.0.0.1,::1";

/**
 * Variables that lead commands to a proxy on the view's loopback; `curl` and `git` read some in lower case only.
 * `NODE_USE_ENV_PROXY` (Node 22.21, 24) makes each start of Node twice as long: only where it leads somewhere.
 */
function proxyEnvironment(port: number, isLed: boolean): Record<string, string> {
  const url = `http://127.0.0.1:${port}`;
  const variables = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: INSIDE };
  const both = Object.entries(variables).flatMap(([name, value]) => [
    [name, value],
    [name.toLowerCase(), value],
  ]);
  return {
    ...(Object.fromEntries(both) as Record<string, string>),
    ...(isLed && { NODE_USE_ENV_PROXY: "1" }),
  };
}
