import { readFileSync } from "node:fs";

/** Flag of a socket that takes connections, and the type of one that needs none, as the kernel lists them. */
const LISTENS = 0x1_0000;
const DATAGRAM = "0002";
/** As the system names sockets that asked for any name. */
const ANY_NAME = /^@[\da-f]{5}$/;

/**
 * The abstract sockets of this network namespace that something serves, as `@name`, each once and sorted: no file stands for
 * them, so commands that share the network of the host reach them, whatever they see of its files.
 *
 * @param list of the kernel, where it has one (Linux)
 */
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
    // Bytes of a name are whatever its owner likes.
    return serves && path !== "" ? [path.replace(/@+$/, "").replace(/[^ -~]/g, "?")] : [];
  });
  return [...new Set(names)].toSorted();
}
