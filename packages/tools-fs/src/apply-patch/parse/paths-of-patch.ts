import type { ChangePath } from "../../changes/plan/change-contract.ts";
import type { Patch } from "./patch.ts";

/** Every path a patch may touch. */
export function pathsOfPatch(patch: Patch): ChangePath[] {
  return patch.sections.flatMap((section): ChangePath[] => {
    if (section.kind === "add") return [{ path: section.path }];
    if (section.kind === "delete") return [{ path: section.path, unlink: true }];
    if (section.moveTo === undefined) return [{ path: section.path }];
    return [
      { path: section.path, unlink: true },
      { path: section.moveTo, unlink: true },
    ];
  });
}
