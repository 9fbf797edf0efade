import type { RunRecord } from "@haft/core/kernel";
import { fateOf } from "@haft/workspace/internal/system";

/** Who has a run: nobody, too, where it died and no program has cleared up after it yet. */
export function holderOf({ heldBy }: Pick<RunRecord, "heldBy">): RunRecord["heldBy"] {
  if (heldBy === undefined) return undefined;
  const { pid, started, host, boot: space = host } = heldBy;
  return fateOf({ pid, started, space }) === "gone" ? undefined : heldBy;
}
