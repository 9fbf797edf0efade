import { makePrivateFolder } from "@haft/system";
import { chownSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Forward, openForwards } from "./open-forwards.ts";
import type { ProxyRefusal } from "./proxy/refusal.ts";
import { type ProxyOptions, startProxy } from "./proxy/start-proxy.ts";

export interface NetworkOptions extends Omit<ProxyOptions, "socket"> {
  /** Parent folder. Default: the temporary folder. Views must hide it, because its sockets give access to this network. */
  folder?: string;
  /** Default: the user of this process. */
  owner?: { uid: number; gid: number };
}

/** An empty list equals the network `none`, but reports refused hosts. */
export interface ViewNetwork {
  folder: string;
  /** @param inside path of the folder inside */
  runnerOptions: (inside: string) => { bridges: { port: number; socket: string }[]; forwards: string };
  environment: Readonly<Record<string, string>>;
  /** Only for approved hosts. @throws HaftError `INVALID_OPTIONS` */
  allow: (host: string) => void;
  /** Returns hosts since the last call, each once: at most 20, and the number of others. */
  takeRefusals: () => { refusals: readonly ProxyRefusal[]; more: number };
  openForward: (options: { port: number }) => Promise<Forward>;
  close: () => Promise<void>;
}

const PROXY_PORT = 3128;
const PROXY_SOCKET = "proxy.sock";
const FORWARDS_SOCKET = "forwards.sock";
/** @param isLed true if any host is allowed: Node then uses the proxy */
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

/** `curl` and `git` read some only in lower case. `NODE_USE_ENV_PROXY` doubles Node's start time, so it is set only for allowed hosts. */
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
