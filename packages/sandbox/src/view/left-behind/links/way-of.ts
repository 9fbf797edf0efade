import { attempt } from "@haft/workspace/internal/system";
import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { nativePath, textOfPath } from "../../../mounts/raw-path.ts";

/** A file, folder or link that the system passes on the way to what a path leads to. */
export interface Step {
  path: string;
  identity: string;
  isLink: boolean;
}

const MOST_LINKS = 40;

/**
 * All that the system passes when it follows a path, the path itself included, in this order.
 *
 * @returns `isWhole` when the path leads to something
 */
export function wayOf(path: string): { steps: Step[]; isWhole: boolean } {
  const steps: Step[] = [];
  let rest = namesOf(path);
  let at = "/";
  for (let links = 0; ;) {
    const name = rest.shift();
    if (name === undefined) return { steps, isWhole: true };
    if (name === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    const stats = attempt(() => lstatSync(nativePath(next), { bigint: true, throwIfNoEntry: false }));
    if (stats === undefined) return { steps, isWhole: false };
    const isLink = stats.isSymbolicLink();
    steps.push({ path: next, identity: `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`, isLink });
    if (!isLink) {
      at = next;
      continue;
    }
    const target = attempt(() => textOfPath(readlinkSync(nativePath(next), "buffer")));
    if (target === undefined || ++links > MOST_LINKS) return { steps, isWhole: false };
    if (target.startsWith("/")) at = "/";
    rest = [...namesOf(target), ...rest];
  }
}

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}
