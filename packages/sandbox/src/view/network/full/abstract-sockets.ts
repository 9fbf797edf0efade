import { readFileSync } from "node:fs";

/** Listening sockets, and datagram sockets. */
const LISTENS = 0x1_0000;
const DATAGRAM = "0002";
/** Names that the kernel chose. */
const ANY_NAME = /^@[\da-f]{5}$/;

/** Returns served sockets of this network namespace, as sorted `@name`. Commands on the host's network can reach them. */
export function abstractSockets(list = "/proc/net/unix"): string[] {
  let text: string;
  try {
    text = readFileSync(list, "latin1");
  } catch {
    return [];
  }
  const names = text.split("\n").flatMap((line) => {
    const [, flags = "0", type, path = ""] =
      /^\S+ \S+ \S+ ([\da-fA-F]+) ([\da-fA-F]+) \S+ +\d+ (@.*)$/.exec(line) ?? [];
    const serves =
      (Number.parseInt(flags, 16) & LISTENS) !== 0 || (type === DATAGRAM && !ANY_NAME.test(path));
    // Names may contain any bytes.
    return serves && path !== "" ? [path.replace(/@+$/, "").replace(/[^ -~]/g, "?")] : [];
  });
  return [...new Set(names)].toSorted();
}
