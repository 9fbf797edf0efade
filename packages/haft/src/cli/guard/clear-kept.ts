import { readRegularFile } from "@haft/workspace/internal/regular-file";
import { lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Head, stampOf } from "./kept-program.ts";

/** Bytes. */
const LARGEST = 64 * 1024 * 1024;

/**
 * Takes away the code that hooks kept of a program, or for a Node, that is not there any more as it was.
 *
 * @param states folders of Haft's state
 */
export function clearOutdated(states: readonly string[]): void {
  for (const path of states.flatMap(codeIn)) if (!isOfUse(path)) rmSync(path, { force: true });
}

/**
 * Takes away what hooks kept to be quicker, and which processes asked them. What people decided, what was written down about calls and
 * which rules were in force stays.
 */
export function clearKept(states: readonly string[]): void {
  for (const path of states.flatMap((state) => [...codeIn(state), ...ofGuard(state)]))
    rmSync(path, { recursive: true, force: true });
}

function codeIn(state: string): string[] {
  return namesIn(join(state, "compiled"), "guard-");
}

function ofGuard(state: string): string[] {
  const guard = join(state, "guard");
  return [...namesIn(guard, "rules-"), ...namesIn(guard, "clients")];
}

/** A link is none of Haft's folders, and a relative path is none that hooks keep anything in. */
function namesIn(folder: string, prefix: string): string[] {
  if (!isAbsolute(folder)) return [];
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(folder, name));
}

/** A draft that a hook left behind when it was ended is of none, even where the hook goes on: then it keeps its code the next time. */
function isOfUse(path: string): boolean {
  if (/\.\d+$/.test(path)) return false;
  try {
    const bytes = readRegularFile(path, { largest: LARGEST });
    const { file, of, node } = JSON.parse(bytes.toString("utf8", 0, bytes.indexOf("\n"))) as Head;
    return stampOf(statSync(file)) === of && stampOf(statSync(node.file)) === node.of;
  } catch {
    return false;
  }
}
