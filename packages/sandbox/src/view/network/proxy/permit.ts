import { type AddressKind, canonicalAddress, getAddressKind } from "@haft/workspace/internal/network";
import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { type Offer, refusal, type ProxyRefusal } from "./refusal.ts";
import type { Target } from "./target.ts";

export interface Judge {
  /** Lower case; an address has no brackets. */
  allows: (host: string, port: number) => boolean;
  ports: readonly number[];
  /** Approved, as `host` or `host:port`. */
  agreed: ReadonlySet<string>;
  isListedAddress: (address: string) => boolean;
  lookup: (host: string) => Promise<readonly LookupAddress[]>;
  offer: Offer;
}

export type Permit = { addresses: readonly string[] } | { refusal: ProxyRefusal } | { unresolved: string };

/** The user of commands cannot approve it. */
const namedByOperator: Offer = (hosts) =>
  `the list must name ${hosts.at(-1)!} itself; the author of the list can add it`;

const LOCAL_NAMES = /^(?:.*\.)?localhost$/;

/** Checks the list, then resolves the name. Use only the returned addresses: names may resolve differently later. */
export async function permit(target: Target, judge: Judge): Promise<Permit> {
  const { host, port } = target;
  const refuse = (why: ProxyRefusal["why"], address?: string): Permit => ({
    refusal: refusal(
      { host, port, why, ...(address === undefined ? {} : { address }) },
      address !== undefined && isCoveredAddress(judge, { host: address, port })
        ? namedByOperator
        : judge.offer,
    ),
  });
  const isAddress = isIP(host) !== 0;
  if (LOCAL_NAMES.test(host) || (isAddress && getAddressKind(host) === "host")) return refuse("host");
  const exactly = judge.agreed.has(formatTargetKey(target));
  if (!exactly) {
    if (!judge.agreed.has(host) && !judge.allows(host, port)) return refuse("unlisted");
    if (!judge.ports.includes(port)) return refuse("port");
  }
  const found = isAddress ? [host] : await addressesOf(host, judge);
  if (typeof found === "string") return { unresolved: found };
  const kinds = found.map((address): [string, AddressKind] => [address, getAddressKind(address)]);
  const isAgreed = (address: string) =>
    judge.isListedAddress(address) ||
    judge.agreed.has(address) ||
    judge.agreed.has(formatTargetKey({ host: address, port }));
  const addresses = kinds.filter(
    ([address, kind]) => kind === "public" || (kind === "private" && isAgreed(address)),
  );
  if (addresses.length > 0) return { addresses: addresses.map(([address]) => address) };
  const [address, kind] = kinds[0]!;
  return refuse(kind === "host" ? "host" : "private", address);
}

/** The list covers it without naming it, so it is refused without a question. */
export function isCoveredAddress({ allows, isListedAddress }: Judge, { host, port }: Target): boolean {
  return (
    isIP(host) !== 0 && getAddressKind(host) !== "public" && !isListedAddress(host) && allows(host, port)
  );
}

export function formatTargetKey({ host, port }: Target): string {
  return `${host} ${port}`;
}

async function addressesOf(host: string, { lookup }: Judge): Promise<string[] | string> {
  try {
    const found = await lookup(host);
    const addresses = found.map(({ address }) => address).filter((address) => isIP(address) !== 0);
    return addresses.length === 0 ? "it has no address" : addresses.map(canonicalAddress);
  } catch (thrown) {
    return String((thrown as NodeJS.ErrnoException).code ?? thrown);
  }
}
