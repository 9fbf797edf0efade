import { attempt, isWithin } from "@haft/workspace/internal/system";
import { readlinkSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { nativePath, textOfPath } from "../../../mounts/raw-path.ts";
import { realOf } from "../../git/repository.ts";

export interface UnlookedPlaces {
  /** In these, only folders of git's are not looked into. */
  roots: readonly string[];
  folders: readonly string[];
}

/** Does a link lead to where nobody looks what commands make? What it names may come later. */
export function leadsAway(link: string, { roots, folders }: UnlookedPlaces): boolean {
  const target = targetOf(link);
  if (target === undefined) return false;
  if (folders.some((folder) => isWithin(target, folder))) return true;
  return roots.some((root) => isWithin(target, root) && relative(root, target).split("/").includes(".git"));
}

/** Where a link leads, also when that is not there yet. */
function targetOf(link: string): string | undefined {
  const text = attempt(() => textOfPath(readlinkSync(nativePath(link), "buffer")));
  if (text === undefined) return undefined;
  const target = resolve(dirname(link), text);
  for (let at = target; ; at = dirname(at)) {
    const real = realOf(at);
    if (real !== undefined) return join(real, relative(at, target));
    if (at === dirname(at)) return undefined;
  }
}
