import { lstatSync, readlinkSync } from "node:fs";
import { posix } from "node:path";
import { attempt } from "../../system/attempt.ts";

/** As many as the kernel follows. */
const MOST_LINKS = 40;

/** Where a path leads, whether or not anything is there, and the links that lead there. */
export interface Followed {
  /** Missing where links lead in a circle. */
  target?: string;
  /** Where they really are. */
  links: string[];
}

/**
 * Follows the links of a path by name, one after the other: unlike `realpath` also to what is not there yet.
 *
 * @param from a real folder in which the path is
 * @param path below it
 */
export function followLinks(from: string, path: string): Followed {
  const links: string[] = [];
  const waiting = path.slice(from.length).split("/");
  let real = from;
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const next = posix.resolve(real, name === "" ? "." : name);
    const leads = linkTarget(next);
    if (leads === undefined) {
      real = next;
      continue;
    }
    links.push(next);
    if (links.length > MOST_LINKS) return { links: [...new Set(links)] };
    if (leads.startsWith("/")) real = "/";
    waiting.unshift(...leads.split("/"));
  }
  return { target: real, links };
}

/** What cannot be looked at, as in the home folder of somebody else, is taken for what it is called. */
function linkTarget(path: string): string | undefined {
  return attempt(() => {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? readlinkSync(path) : undefined;
  });
}
