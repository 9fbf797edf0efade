import { attempt, isWithin, PrivateFolder } from "@haft/system";
import { readdirSync } from "node:fs";
import { formatFileIdentity, readFileIdentity, tryStatEntry } from "../../mounts/stats.ts";

interface Restored {
  path: string;
  identity: string;
  /** Nanoseconds; absent during the restoration. */
  at?: string;
}

/** The restoring process may have been killed. */
const PENDING_MS = 10_000;

/** Otherwise sessions would treat these files as a command's. */
export class RestoredFiles {
  readonly #folder: PrivateFolder;

  constructor(folder: string) {
    this.#folder = new PrivateFolder(folder);
  }

  /** Call it before the move. @param file its current path */
  begin(path: string, file: string): void {
    const identity = readFileIdentity(file);
    if (identity !== "") this.#write({ path, identity });
  }

  end(path: string): void {
    const stats = tryStatEntry(path);
    if (stats !== undefined)
      this.#write({ path, identity: formatFileIdentity(stats), at: String(stats.ctimeNs) });
  }

  /** True if this path or a folder above was restored and is unchanged. */
  cover(path: string): boolean {
    const changed = tryStatEntry(path)?.ctimeNs;
    if (changed === undefined || !this.#hasAny()) return false;
    for (let at = path; at !== "/" && at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
      const restored = this.#find(at);
      if (restored !== undefined && isWithin(path, restored.path)) return restored.until >= changed;
    }
    return false;
  }

  #hasAny(): boolean {
    return (attempt(() => readdirSync(this.#folder.path)) ?? []).length > 0;
  }

  #find(path: string): { path: string; until: bigint } | undefined {
    const identity = readFileIdentity(path);
    const found = identity === "" ? undefined : this.#folder.read(nameOf(identity));
    const one = found && attempt(() => JSON.parse(found.text) as Restored);
    if (found === undefined || one === undefined || one.path !== path) return undefined;
    if (one.at !== undefined) return { path, until: BigInt(one.at) };
    const until = found.modifiedAt + PENDING_MS;
    return Date.now() > until ? undefined : { path, until: BigInt(Math.ceil(until)) * 1_000_000n };
  }

  #write(restored: Restored): void {
    this.#folder.replace(nameOf(restored.identity), JSON.stringify(restored));
  }
}

function nameOf(identity: string): string {
  return `${identity.replaceAll(":", "-")}.json`;
}
