import type { HaftError } from "@haft/core";
import { isWithin } from "@haft/workspace/internal/system";
import type { SandboxConnection } from "../backend.ts";
import { sandboxError } from "../errors.ts";
import { parseMountTable } from "./mount-table.ts";

/**
 * Looks from inside whether everything can only be read that is to be: a mount of another file system below a
 * read-only one need not be so, too.
 *
 * @param text of `/proc/self/mountinfo` inside; `undefined` where that cannot be known
 * @throws HaftError `SANDBOX_MOUNT_REFUSED`
 */
export function checkReadOnly(
  { readOnly = [], mounts }: Pick<SandboxConnection, "readOnly" | "mounts">,
  text: string | undefined,
): void {
  const table = parseMountTable(text ?? "");
  const [first] = readOnly;
  if (table.length === 0 && first !== undefined) {
    throw refused(first.path, "nothing inside says whether it is read-only there");
  }
  const places = [
    ...mounts.map(({ path, access }) => ({ path, writable: access === "rw" })),
    ...readOnly.map(({ path }) => ({ path, writable: false })),
  ];
  // Of several in one place the last is the one that is seen.
  for (const { path, readOnly: isReadOnly } of new Map(table.map((one) => [one.path, one])).values()) {
    const nearest = places
      .filter((one) => isWithin(path, one.path))
      .toSorted((one, other) => other.path.length - one.path.length)
      .at(0);
    if (nearest?.writable === false && !isReadOnly) {
      throw refused(path, `it could be written inside, though ${nearest.path} is to be read-only`);
    }
  }
  for (const { path, mounted } of readOnly) {
    const found = table.findLast((one) => one.path === path);
    if (mounted === undefined || found === undefined) continue;
    if (mounted.device === found.device && mounted.root === found.root) continue;
    throw refused(path, "something else is mounted there than was looked at");
  }
}

function refused(path: string, why: string): HaftError {
  return sandboxError("SANDBOX_MOUNT_REFUSED", `${path} is not mounted into a sandbox: ${why}.`, {
    fix: "Look what is mounted below the folder on the host, and unmount it or leave the folder out; or use bubblewrap.",
    details: { path },
  });
}
