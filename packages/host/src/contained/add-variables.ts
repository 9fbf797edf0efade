import type { HostProcessesOptions } from "@haft/workspace";

type ProcessOptions = Omit<HostProcessesOptions, "workspace">;

/** Adds variables of the operator to the processes of a workspace. */
export function addVariables(
  processes: ProcessOptions,
  variables: Readonly<Record<string, string>>,
): ProcessOptions {
  const { environment } = processes;
  return { ...processes, environment: { ...environment, set: { ...environment?.set, ...variables } } };
}
