import { isWithin } from "../system/is-within.ts";
import { checkWritable } from "./check-writable.ts";
import { failure, type Request } from "./failures.ts";
import type { Host } from "./host.ts";
import { checkHardLinks, lookAtEntry, lookThrough } from "./walk/open-file.ts";

/**
 * What the boundary says of a path, by the same checks that hold while a file is read or changed, and without opening
 * it. Whether anything is there is not asked.
 *
 * @throws HaftError `OUTSIDE_WORKSPACE`, `PATH_DENIED`, `READ_ONLY`, `ROOT_PINNED`, `HARD_LINKED`
 */
export function checkAccess(
  host: Host,
  request: Request,
  access: "read" | "write",
  { follow = true }: { follow?: boolean } = {},
): void {
  const { place, stats } = (follow ? lookThrough : lookAtEntry)(host.walk, request);
  if (access === "read") {
    if (stats?.isFile() === true) checkHardLinks(host, place, stats, request);
    return;
  }
  if (!follow && host.table.mounts.some((mount) => isWithin(mount.path, place.path)))
    throw failure("ROOT_PINNED", request);
  checkWritable(host, place, request);
}
