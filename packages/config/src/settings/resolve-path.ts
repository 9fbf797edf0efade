import { homedir } from "node:os";
import { join, resolve } from "node:path";

export function resolvePath(path: string, folder: string): string {
  if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1));
  return resolve(folder, path);
}
