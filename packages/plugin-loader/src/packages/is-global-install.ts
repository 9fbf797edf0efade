import { existsSync } from "node:fs";
import { join, sep } from "node:path";

export function isGlobalInstall(folder: string): boolean {
  const parts = folder.split(sep);
  const position = parts.indexOf("node_modules");
  return position >= 0 && !existsSync(join(parts.slice(0, position).join(sep), "package.json"));
}
