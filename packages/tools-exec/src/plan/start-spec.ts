import type { ProcessSpec, Workspace, WorkspaceDescription } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import type { ShellName } from "../sessions/resolve-shell.ts";

/** The part of a specification that a plan decides: what runs, where, and what has to be as it was. */
export type StartSpec = Pick<
  ProcessSpec,
  "argv" | "script" | "shell" | "cwd" | "expect" | "outside" | "network" | "forward"
>;

export interface CommandPlanData {
  spec: StartSpec;
  shell: ShellName | undefined;
  /** Why input can have the command do anything, as a sentence's rest; `undefined` when it is only read. */
  takesCode: string | undefined;
  /** The id of the node it runs on, where that is not the session's own workspace. */
  node?: string;
  notices: readonly string[];
}

export function getPlannedNotices(planned: unknown): readonly string[] {
  return (planned as CommandPlanData | undefined)?.notices ?? [];
}

/**
 * What there is to tell of the place since it was last asked: what was held back, which hosts were not reached, and which walls
 * the output of a command tells of.
 */
export function readTargetNotices(
  { processes }: Workspace,
  met?: { command: string; output: string },
): string[] {
  return (processes?.notices?.(met) ?? []).map((notice) => `[${notice}]`);
}

/**
 * Checks a command that nobody needs a plan for. Most do not even mention Haft.
 *
 * @throws HaftError `EXEC_SELF_APPROVAL`
 */
export async function checkUnplannedCommand(
  text: string,
  shell: string,
  { cwd, target }: WorkspaceDescription,
): Promise<void> {
  if (!text.includes("haft")) return;
  const [{ analyzeCommand }, { refuseSelfApproval }] = await Promise.all([
    import("@haft/commands"),
    import("./refuse/refuse-self-approval.ts"),
  ]);
  refuseSelfApproval(await analyzeCommand(text, { cwd, shell }), target === "host");
}

export function toStartSpec(
  planned: unknown,
  text: string,
  workdir: string | undefined,
  shell: ShellName | undefined,
): StartSpec {
  const spec = (planned as CommandPlanData | undefined)?.spec ?? { script: text, cwd: workdir };
  return withoutUndefined<StartSpec>({ shell, ...spec });
}
