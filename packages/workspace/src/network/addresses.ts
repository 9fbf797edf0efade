import { type HaftError, invalidOptions } from "@haft/core";
import { matchesHostName, isHostPattern } from "@haft/utils";
import type { LookupAddress } from "node:dns";
import { BlockList, connect, isIP, isIPv4, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { Duplex } from "node:stream";
import { workspaceError } from "../errors.ts";

/** `host`: this machine. `private`: not on the internet, as in local networks and the metadata service of a cloud. */
export type AddressKind = "public" | "private" | "host";

const HOST = blockList("127.0.0.0/8 0.0.0.0/8 ::/128 ::1/128");
/** Contains the IANA registries of special addresses, and the public address of Azure's metadata service. */
const PRIVATE = blockList(`
  10.0.0.0/8 100.64.0.0/10 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15
  224.0.0.0/4 240.0.0.0/4 168.63.129.16/32
  64:ff9b:1::/48 100::/64 2001::/23 fc00::/7 fe80::/10 fec0::/10 ff00::/8
`);
/** Lists IPv6 notations of IPv4 addresses, with the index of the first 16-bit group. */
const EMBEDDED = [
  [blockList("::/96"), 6],
  [blockList("::ffff:0:0/96"), 6],
  [blockList("::ffff:0:0:0/96"), 6],
  [blockList("64:ff9b::/96"), 6],
  [blockList("2002::/16"), 1],
] as const;

/** @param given IPv4 or IPv6, without brackets, also with a zone (`fe80::1%eth0`) */
export function getAddressKind(given: string): AddressKind {
  const address = withoutZone(given);
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  if (HOST().check(address, family) || isHostAddress(address)) return "host";
  if (family === "ipv6") {
    const embedded = EMBEDDED.find(([list]) => list().check(address, "ipv6"));
    if (embedded !== undefined) return getAddressKind(embeddedIn(address, embedded[1]));
  }
  return PRIVATE().check(address, family) ? "private" : "public";
}

/** Keeps the zone, which connections need. */
export function canonicalAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const bare = withoutZone(address);
  return `${new URL(`http://[${bare}]`).hostname.slice(1, -1)}${address.slice(bare.length)}`;
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/s, "");
}

/** Not cached, because networks change. */
function isHostAddress(address: string): boolean {
  const wanted = canonicalAddress(address);
  return Object.values(networkInterfaces()).some((all) =>
    all?.some((one) => canonicalAddress(withoutZone(one.address)) === wanted),
  );
}

function embeddedIn(address: string, at: number): string {
  const [head = "", tail] = canonicalAddress(address).split("::");
  const groups = (text: string) => text.split(":").filter((one) => one !== "");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const all = [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
  return all
    .slice(at, at + 2)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
}

function blockList(ranges: string): () => BlockList {
  let list: BlockList | undefined;
  return () => (list ??= listOf(ranges));
}

function listOf(ranges: string): BlockList {
  const list = new BlockList();
  for (const range of ranges.trim().split(/\s+/)) {
    const [address, bits] = range.split("/") as [string, string];
    list.addSubnet(address, Number(bits), isIPv4(address) ? "ipv4" : "ipv6");
  }
  return list;
}

export interface Target {
  host: string;
  port: number;
}

/** Returns whether the operator opened this private address to tools. */
export type IsAllowedTarget = (target: Target, address: string) => boolean;

/**
 * Parses an allowlist: `10.0.0.5`, `dev.example.com:3000`, `*.corp.example.com`, `10.1.0.0/16`, `[fd00::5]:8080`. A name opens all its
 * addresses, an address opens itself under any name. No port: all ports.
 * @throws HaftError `INVALID_OPTIONS`
 */
export function parsePrivateAllowlist(entries: readonly string[]): IsAllowedTarget {
  const rules = entries.map(readEntry);
  return (target, address) => rules.some((opens) => opens(target, address));
}

function readEntry(entry: unknown): IsAllowedTarget {
  if (typeof entry !== "string") throw wrong(entry);
  const text = entry.trim().toLowerCase();
  const [, network, bits] = /^([\d.]+|[\da-f:.]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (network !== undefined) return ofNetwork(network, Number(bits), entry);
  const [, inner, name, digits] =
    isIP(text) === 6 ? [text, text] : (/^(?:\[([^\]]*)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []);
  const port = digits === undefined ? undefined : Number(digits);
  if ((inner ?? name) === undefined || port === 0 || (port ?? 0) > 65_535) throw wrong(entry);
  const fitsPort = (target: Target): boolean => port === undefined || target.port === port;
  if (inner !== undefined || isIPv4(name!)) {
    if (inner !== undefined && isIP(inner) !== 6) throw wrong(entry);
    const wanted = canonicalAddress(inner ?? name!);
    return (target, address) => canonicalAddress(address) === wanted && fitsPort(target);
  }
  if (!isHostPattern(name!)) throw wrong(entry);
  return (target) => matchesHostName(name!, target.host) && fitsPort(target);
}

function ofNetwork(network: string, bits: number, entry: string): IsAllowedTarget {
  const family = isIP(network);
  if (family === 0 || bits > (family === 4 ? 32 : 128)) throw wrong(entry);
  const list = new BlockList();
  list.addSubnet(network, bits, family === 4 ? "ipv4" : "ipv6");
  return (_target, address) =>
    isIP(address) === family && list.check(address, family === 4 ? "ipv4" : "ipv6");
}

function wrong(entry: unknown): Error {
  return invalidOptions(
    `network: allowPrivate has ${JSON.stringify(entry)}, which is not a host, address or network.`,
    'Write "10.0.0.5", "dev.example.com:3000", "*.corp.example.com" or "10.1.0.0/16".',
  );
}

export type Lookup = (host: string) => Promise<readonly { address: string }[]>;

export const systemLookup: Lookup = async (host) =>
  (await import("node:dns/promises")).lookup(host, { all: true });

/** Connect only to the returned addresses: a name may resolve differently later. @throws HaftError `ADDRESS_REFUSED`, `FETCH_FAILED` */
export async function resolveAddresses(
  target: Target,
  lookup: Lookup,
  isOpened: IsAllowedTarget,
): Promise<string[]> {
  const { host } = target;
  const found = isIP(host) === 0 ? await resolveHost(host, lookup) : [canonicalAddress(host)];
  const fit = found.filter((address) => getAddressKind(address) === "public" || isOpened(target, address));
  if (fit.length > 0) return fit;
  throw refused(target, found[0]!);
}

async function resolveHost(host: string, lookup: Lookup): Promise<string[]> {
  let found: readonly { address: string }[];
  try {
    found = await lookup(host);
  } catch (thrown) {
    const why = String((thrown as NodeJS.ErrnoException).code ?? thrown);
    throw workspaceError(
      "FETCH_FAILED",
      `${host} was not reached: its name could not be looked up (${why}).`,
      {
        cause: thrown,
        receipt: "none",
      },
    );
  }
  const addresses = found.map(({ address }) => address).filter((address) => isIP(address) !== 0);
  if (addresses.length === 0)
    throw workspaceError("FETCH_FAILED", `${host} was not reached: its name has no address.`, {
      receipt: "none",
    });
  return [...new Set(addresses.map(canonicalAddress))];
}

function refused({ host, port }: Target, address: string): HaftError {
  const whose = getAddressKind(address) === "host" ? "this machine itself" : "a local network";
  const leads = address === host ? `${host} is an address of` : `${host} leads to ${address}, an address of`;
  const message = `${leads} ${whose}, which tools reach only if the operator opens it.`;
  const opens = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  return workspaceError("ADDRESS_REFUSED", message, {
    fix: `Ask the operator: network: { allowPrivate: ["${opens}"] } in the configuration opens it.`,
    details: { host, port, address },
  });
}

export type Connect = (target: Target, signal: AbortSignal) => Promise<Duplex>;

export const CONNECT_MS = 30_000;

export function connectToAddresses(
  addresses: readonly string[],
  { host, port }: Target,
  signal: AbortSignal,
): Promise<Socket> {
  const all: LookupAddress[] = addresses.map((address) => ({ address, family: isIP(address) }));
  return new Promise((resolve, reject) => {
    const socket = connect({
      // Never resolved: `lookup` returns the addresses.
      host: "checked.invalid",
      port,
      autoSelectFamily: true,
      noDelay: true,
      lookup: (_host, options, found) => {
        if (options.all === true) found(null, all);
        else found(null, all[0]!.address, all[0]!.family);
      },
    });
    const giveUp = (): void => void socket.destroy(new Error("it was aborted"));
    const late = setTimeout(() => socket.destroy(new Error("it did not answer in time")), CONNECT_MS);
    const settle = (): void => {
      clearTimeout(late);
      signal.removeEventListener("abort", giveUp);
    };
    socket.once("connect", () => {
      settle();
      // The reader receives later errors.
      socket.on("error", () => {});
      resolve(socket);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      settle();
      reject(unreachableError({ host, port }, error.code ?? error.message, error));
    });
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
  });
}

export function unreachableError({ host, port }: Target, why: string, cause?: unknown): Error {
  return workspaceError("FETCH_FAILED", `${host} was not reached at port ${port}: ${why}.`, {
    cause,
    receipt: "none",
  });
}
