import { existsSync } from "node:fs";
import { relative } from "node:path";
import { root } from "./workspace.ts";

/** Without this file, the script ends and names the creating command, without a stack. */
export function requireBuilt(path: string, command: string): string {
  if (existsSync(path)) return path;
  console.error(`${relative(root, path)} is not there yet: ${command} makes it.`);
  process.exit(1);
}
