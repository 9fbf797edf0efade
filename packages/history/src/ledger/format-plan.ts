import type { CallSubjects } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import type { CallRecord } from "@haft/core/kernel";
import { escapeInvisible } from "@haft/utils";

/**
 * Formats a call's command on another machine with its approved effects; empty without a command.
 *
 * @param title The start of the line.
 * @example
 * ```ts run
 * import { formatNodeSubject } from "@haft/history/ledger";
 * const subject = { id: "kitchen-1", name: "kitchen", command: "camera.take", effects: ["read"] } as const;
 * formatNodeSubject(subject, "command: "); // => ["command: camera.take, with the effects read"]
 * ```
 */
export function formatNodeSubject(
  { command, effects }: NonNullable<CallSubjects["node"]>,
  title: string,
): string[] {
  if (command === undefined) return [];
  const may = effects === undefined || effects.length === 0 ? "" : `, with the effects ${effects.join(", ")}`;
  return [`${title}${command}${may}`];
}

/**
 * Formats a call's recorded plan: commands, files, hosts, node and consent.
 *
 * @example
 * ```ts run
 * import { formatPlanLines } from "@haft/history/ledger";
 * formatPlanLines({ plan: { subjects: { hosts: ["api.example.com"] } } }); // => ["connect  api.example.com"]
 * ```
 */
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
      ({ access, path, recursive }) =>
        `${access.padEnd(9)}${path}${recursive ? ", with all files below" : ""}`,
    ),
    ...hosts.map((host) => `connect  ${host}`),
    ...(node === undefined
      ? []
      : [`node     ${node.name} (${node.id})`, ...formatNodeSubject(node, "command  ")]),
    ...consent.map(({ reason }) => `consent  ${reason}`),
  ];
  return lines.map((line) => escapeInvisible(redactSecrets(line)));
}
