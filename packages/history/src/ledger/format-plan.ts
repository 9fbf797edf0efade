import type { CallSubjects } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import type { CallRecord } from "@haft/core/kernel";
import { escapeInvisible } from "@haft/utils";

/** What another machine is asked for, and what it may do by that, as it was approved. */
export function formatNodeSubject(
  { command, effects }: NonNullable<CallSubjects["node"]>,
  title: string,
): string[] {
  if (command === undefined) return [];
  const may = effects === undefined || effects.length === 0 ? "" : `, which may ${effects.join(", ")} there`;
  return [`${title}${command}${may}`];
}

export function formatPlanLines({ plan }: Pick<CallRecord, "plan">): string[] {
  const { subjects, consent = [] } = plan ?? {};
  const { command, paths = [], hosts = [], node } = subjects ?? {};
  const lines = [
    ...(command === undefined ? [] : [`in       ${command.cwd}`]),
    ...(command?.commands ?? []).map(
      ({ argv, path }) => `runs     ${argv.join(" ")}${path === undefined ? "" : `    (${path})`}`,
    ),
    ...(command?.unclear === undefined ? [] : [`unclear  ${command.unclear}`]),
    ...paths.map(
      ({ access, path, recursive }) => `${access.padEnd(9)}${path}${recursive ? ", and all below it" : ""}`,
    ),
    ...hosts.map((host) => `connect  ${host}`),
    ...(node === undefined
      ? []
      : [`node     ${node.name} (${node.id})`, ...formatNodeSubject(node, "command  ")]),
    ...consent.map(({ reason }) => `consent  ${reason}`),
  ];
  return lines.map((line) => escapeInvisible(redactSecrets(line)));
}
