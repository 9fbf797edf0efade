import { fitsHost, invalidOptions, isHostPattern } from "@haft/core/internal";
import { BlockList, isIP, isIPv4 } from "node:net";
import { canonicalAddress } from "./host-address.ts";

/** Where a request goes: a name in lower case or an address without brackets, and a port. */
export interface Target {
  host: string;
  port: number;
}

/** Is this address, to which the host leads, one that the operator opened to tools although nobody on the internet has it? */
export type IsOpened = (target: Target, address: string) => boolean;

/**
 * Reads such a list: `10.0.0.5`, `dev.example.com:3000`, `*.corp.example.com`, `10.1.0.0/16`, `[fd00::5]:8080`. A name opens
 * whatever it leads to, an address itself, by whatever name; without a port all of them.
 *
 * @throws HaftError `INVALID_OPTIONS`
 */
export function readOpenedPlaces(entries: readonly string[]): IsOpened {
  const rules = entries.map(readEntry);
  return (target, address) => rules.some((opens) => opens(target, address));
}

function readEntry(entry: unknown): IsOpened {
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
  return (target) => fitsHost(name!, target.host) && fitsPort(target);
}

function ofNetwork(network: string, bits: number, entry: string): IsOpened {
  const family = isIP(network);
  if (family === 0 || bits > (family === 4 ? 32 : 128)) throw wrong(entry);
  const list = new BlockList();
  list.addSubnet(network, bits, family === 4 ? "ipv4" : "ipv6");
  return (_target, address) =>
    isIP(address) === family && list.check(address, family === 4 ? "ipv4" : "ipv6");
}

function wrong(entry: unknown): Error {
  return invalidOptions(
    `network: allowPrivate has ${JSON.stringify(entry)}, which is no host, address or network.`,
    'Write "10.0.0.5", "dev.example.com:3000", "*.corp.example.com" or "10.1.0.0/16".',
  );
}
