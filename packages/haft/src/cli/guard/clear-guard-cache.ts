import { lstatSync, readdirSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/**
 * Removes the rules that hooks compiled, and the records of the processes that asked them. Decisions of people, logs and
 * the list of rules in force stay.
 *
 * @param states folders of Haft's state
 */
export function clearGuardCache(states: readonly string[]): void {
  for (const path of states.flatMap((state) => {
    const guard = join(state, "guard");
    return [...namesIn(guard, "rules-"), ...namesIn(guard, "clients")];
  }))
    rmSync(path, { recursive: true, force: true });
}

/** A link is none of Haft's folders, and a relative path is none that hooks keep anything in. */
function namesIn(folder: string, prefix: string): string[] {
  if (!isAbsolute(folder)) return [];
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(folder, name));
}
