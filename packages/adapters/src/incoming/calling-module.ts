import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { getCallSites as GetCallSites } from "node:util";

/** Folder of this package's sources, or of its build. */
const OWN = dirname(import.meta.dirname);
const MAX_FRAMES = 16;

/** Returns the file of the first stack frame outside this package. Only Node provides it. */
export function callingModule(): string | undefined {
  const util: { getCallSites?: typeof GetCallSites } = process.getBuiltinModule("node:util");
  for (const { scriptName } of util.getCallSites?.(MAX_FRAMES) ?? []) {
    const path = scriptName.startsWith("file:") ? fileURLToPath(scriptName) : scriptName;
    if (path.startsWith("/") && !path.startsWith(`${OWN}/`)) return path;
  }
  return undefined;
}
