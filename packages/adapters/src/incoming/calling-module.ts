import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { getCallSites } from "node:util";

/** This package: its sources, or what is built of them. */
const OWN = dirname(import.meta.dirname);
/** Frames that are looked at. */
const MOST_FRAMES = 16;

/** The file of the first function outside of this package: that of the module which calls a bridge. */
export function callingModule(): string | undefined {
  for (const { scriptName } of getCallSites(MOST_FRAMES)) {
    const path = scriptName.startsWith("file:") ? fileURLToPath(scriptName) : scriptName;
    if (path.startsWith("/") && !path.startsWith(`${OWN}/`)) return path;
  }
  return undefined;
}
