import { escapeInvisible, redactSecrets } from "@haft/core/internal";
import type { CallRecord } from "@haft/core/kernel";

/** What a call would have done, as it was worked out before it was decided about: a line for each part. */
export function linesOfPlan({ plan }: Pick<CallRecord, "plan">): string[] {
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
    ...(node === undefined ? [] : [`node     ${node.name} (${node.id})`]),
    ...consent.map(({ reason }) => `consent  ${reason}`),
  ];
  return lines.map((line) => escapeInvisible(redactSecrets(line)));
}
