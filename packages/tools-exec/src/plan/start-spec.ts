import type { ProcessSpec, Workspace, WorkspaceDescription } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import type { ShellName } from "../sessions/resolve-shell.ts";

export type StartSpec = Pick<
  ProcessSpec,
  "argv" | "script" | "shell" | "cwd" | "expect" | "outside" | "network" | "forward"
>;

export interface CommandPlanData {
  spec: StartSpec;
  shell: ShellName | undefined;
  /** Why input can run code, which completes a sentence; `undefined` if input is data. */
  takesCode: string | undefined;
  node?: string;
  notices: readonly string[];
}

export function getPlannedNotices(planned: unknown): readonly string[] {
  return (planned as CommandPlanData | undefined)?.notices ?? [];
}

/** Reports quarantined files, unreached hosts, and limits that the output mentions, since the last call. */
export function readTargetNotices(
  { processes }: Workspace,
  met?: { command: string; output: string },
): string[] {
  return (processes?.notices?.(met) ?? []).map((notice) => `[${notice}]`);
}

/**
 * Loads the parser only if the command mentions Haft.
 *
 * @throws `EXEC_SELF_APPROVAL`
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
