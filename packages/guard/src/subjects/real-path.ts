import { realpathSync } from "node:fs";
import { dirname, join, basename } from "node:path";

/** Where a path leads, links followed as far as they exist; what does not exist yet stays as it is named. */
export function resolveRealPath(path: string): string {
  const rest: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      const real = realpathSync.native(at);
      return rest.length === 0 ? real : join(real, ...rest);
    } catch {
      // Not there, or not to be looked at: then what holds it decides.
    }
    if (dirname(at) === at) return path;
    rest.unshift(basename(at));
  }
}
