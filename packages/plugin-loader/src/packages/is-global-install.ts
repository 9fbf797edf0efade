import { existsSync } from "node:fs";
import { join, sep } from "node:path";

export function isGlobalInstall(folder: string): boolean {
  const parts = folder.split(sep);
  const place = parts.indexOf("node_modules");
  return place >= 0 && !existsSync(join(parts.slice(0, place).join(sep), "package.json"));
}
