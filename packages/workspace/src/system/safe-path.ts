import { delimiter, isAbsolute } from "node:path";
import { whyUnsafeFolder } from "./examine-program.ts";
import { lookAtRoots } from "./session-roots.ts";

/** A variable that is empty means the current folder; nothing can be in a file. */
const NOWHERE = "/dev/null";

/** The PATH for what Haft starts for itself: that of this program without the folders others could put programs into. */
export function safePath(): string {
  const folders = (process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(delimiter);
  // Once for all folders: a program that has served hundreds of sessions has hundreds of roots.
  const rootHolding = lookAtRoots();
  const safe = folders.filter((one) => isAbsolute(one) && whyUnsafeFolder(one, rootHolding) === undefined);
  return safe.length === 0 ? NOWHERE : safe.join(delimiter);
}
