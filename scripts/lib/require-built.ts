import { existsSync } from "node:fs";
import { relative } from "node:path";
import { root } from "./workspace.ts";

/** A file that another command makes. Without it the script ends, with one sentence that names the command, and no stack. */
export function requireBuilt(path: string, command: string): string {
  if (existsSync(path)) return path;
  console.error(`${relative(root, path)} is not there yet: ${command} makes it.`);
  process.exit(1);
}
