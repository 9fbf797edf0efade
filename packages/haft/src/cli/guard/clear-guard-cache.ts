import { lstatSync, readdirSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** Removes compiled rules and records of guarded processes, but not answers, logs and the list of rules. */
export function clearGuardCache(states: readonly string[]): void {
  for (const path of states.flatMap((state) => {
    const guard = join(state, "guard");
    return [...namesIn(guard, "rules-"), ...namesIn(guard, "clients")];
  }))
    rmSync(path, { recursive: true, force: true });
}

/** Hooks store nothing behind links and relative paths. */
function namesIn(folder: string, prefix: string): string[] {
  if (!isAbsolute(folder)) return [];
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(folder, name));
}
