import { BlockList, isIP, isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";

/** `host`: this machine itself. `private`: addresses nobody on the internet has: of a local network, of the metadata of a cloud. */
export type AddressKind = "public" | "private" | "host";

const HOST = blockList("127.0.0.0/8 0.0.0.0/8 ::/128 ::1/128");
/** The registries of special addresses (IANA), and the metadata service of Azure, which has a public one. */
const PRIVATE = blockList(`
  10.0.0.0/8 100.64.0.0/10 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15
  224.0.0.0/4 240.0.0.0/4 168.63.129.16/32
  64:ff9b:1::/48 100::/64 2001::/23 fc00::/7 fe80::/10 fec0::/10 ff00::/8
`);
/** Ways to write an IPv4 address as an IPv6 one; the number is that of the 16-bit group it begins at. */
const EMBEDDED = [
  [blockList("::/96"), 6],
  [blockList("::ffff:0:0/96"), 6],
  [blockList("::ffff:0:0:0/96"), 6],
  [blockList("64:ff9b::/96"), 6],
  [blockList("2002::/16"), 1],
] as const;

/** Whose address this is. @param given IPv4 or IPv6, without brackets, also with a zone (`fe80::1%eth0`) */
export function kindOfAddress(given: string): AddressKind {
  const address = withoutZone(given);
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  if (HOST().check(address, family) || isOwn(address)) return "host";
  if (family === "ipv6") {
    const embedded = EMBEDDED.find(([list]) => list().check(address, "ipv6"));
    if (embedded !== undefined) return kindOfAddress(embeddedIn(address, embedded[1]));
  }
  return PRIVATE().check(address, family) ? "private" : "public";
}

/** The one spelling of an address. A zone, which is connected to with it, stays. */
export function canonicalAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const bare = withoutZone(address);
  return `${new URL(`http://[${bare}]`).hostname.slice(1, -1)}${address.slice(bare.length)}`;
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/s, "");
}

/** Asked each time: networks come and go. */
function isOwn(address: string): boolean {
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

/** Made when somebody asks: nobody does at the start of a host. */
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
