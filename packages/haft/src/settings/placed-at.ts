import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** A path as files name it: from their own folder, wherever Haft is started, or from the home folder. */
export function placedAt(path: string, folder: string): string {
  if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1));
  return resolve(folder, path);
}
