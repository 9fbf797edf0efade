import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { getCallSites as GetCallSites } from "node:util";

/** This package: its sources, or what is built of them. */
const OWN = dirname(import.meta.dirname);
/** Frames that are looked at. */
const MAX_FRAMES = 16;

/** The file of the first function outside of this package: that of the module which calls a bridge. Other runtimes than Node do without. */
export function callingModule(): string | undefined {
  const util: { getCallSites?: typeof GetCallSites } = process.getBuiltinModule("node:util");
  for (const { scriptName } of util.getCallSites?.(MAX_FRAMES) ?? []) {
    const path = scriptName.startsWith("file:") ? fileURLToPath(scriptName) : scriptName;
    if (path.startsWith("/") && !path.startsWith(`${OWN}/`)) return path;
  }
  return undefined;
}
