import { realpathSync } from "node:fs";
import { dirname, join, basename } from "node:path";

export function resolveRealPath(path: string): string {
  const rest: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      const real = realpathSync.native(at);
      return rest.length === 0 ? real : join(real, ...rest);
    } catch {
      // The parent decides.
    }
    if (dirname(at) === at) return path;
    rest.unshift(basename(at));
  }
}
