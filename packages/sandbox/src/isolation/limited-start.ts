import type { SandboxLimits } from "../backend.ts";
import type { ControlGroup } from "./control-group.ts";

/** Of data that can be written, before it has done anything. Other systems' Nodes reserve less. */
export const NODE_RESERVES_MB = 768;
/** In units of the shell's `ulimit -f`. */
const BLOCKS_PER_MB = 2048;

/**
 * Shell script that enters a control group and gives up what it may use, then becomes `"$@"`.
 *
 * @param entries numbers of the open {@link ControlGroup.entries}; of one digit, shells know no others.
 */
export function limitedStart(
  limits: SandboxLimits,
  group: Pick<ControlGroup, "holds">,
  entries: readonly number[],
): string {
  // Of each process, and Node reserves much that it never uses: better than nothing.
  const memory = `ulimit -d ${Math.floor((limits.memoryMb + NODE_RESERVES_MB) * 1024)}`;
  return [
    // `0` is whoever writes it. Kernels before 5.16 ask who writes, not who opened the file.
    ...entries.map((fd) => `echo 0 >&${fd} || ${memory}; exec ${fd}>&-`),
    "ulimit -c 0",
    `ulimit -f ${Math.max(1, Math.floor(limits.fileMb * BLOCKS_PER_MB))}`,
    ...(group.holds.has("memory") ? [] : [memory]),
    'exec "$@"',
  ].join("; ");
}
