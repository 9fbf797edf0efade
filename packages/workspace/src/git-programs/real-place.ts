import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { attempt } from "../system/attempt.ts";

const MOST_LINKS = 40;

/** Where a path leads, also when nothing is there yet. */
export function realPlace(path: string): string {
  let at = resolve(path);
  let rest = "";
  for (let links = 0; links < MOST_LINKS;) {
    const found = attempt(() => realpathSync.native(at));
    if (found !== undefined) return join(found, rest);
    const target = attempt(() => readlinkSync(at));
    if (target !== undefined) {
      links += 1;
      at = resolve(dirname(at), target);
      continue;
    }
    if (at === dirname(at)) break;
    rest = join(basename(at), rest);
    at = dirname(at);
  }
  return path;
}
