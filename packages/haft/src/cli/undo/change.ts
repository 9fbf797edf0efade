import type { Host } from "@haft/host";
import type { FileChange } from "@haft/tools-fs";
import type { ChangeReport } from "@haft/tools-fs/engine";
import { escapeInvisible } from "@haft/utils";
import { undoLine } from "../location/next-command.ts";
import { readSessionValues, sessionArguments } from "../session-arguments.ts";
import { FLAG, type Values } from "../usage.ts";
import { withHost } from "../with-host.ts";

const { workspace, root, state } = sessionArguments;

export const changeOptions = {
  "dry-run": { type: "boolean", short: "n" },
  "project-settings": FLAG,
  json: FLAG,
  workspace,
  root,
  state,
} as const;

export async function withFileChanges<T>(
  values: Values<typeof changeOptions>,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const { host } = await readSessionValues({ ...values, "no-config": true });
  if (values["project-settings"]) host.boundary = { ...host.boundary, projectSettings: [] };
  return withHost(host, work);
}

const MARKS: Record<FileChange["kind"], string> = {
  added: "A",
  modified: "M",
  deleted: "D",
  moved: "R",
  unchanged: "=",
};

/** `M src/a.ts  +3 -1`. */
export function formatFile({
  kind,
  path,
  from,
  added,
  removed,
}: Pick<FileChange, "kind" | "path" | "from" | "added" | "removed">): string {
  const names = [from, path].filter((name) => name !== undefined).map(escapeInvisible);
  return `${MARKS[kind]} ${names.join(" -> ")}  +${added} -${removed}`;
}

export function printChange(
  report: ChangeReport,
  { json, withDiff, verb }: { json: boolean | undefined; withDiff: boolean; verb: "Changed" | "Reverted" },
): void {
  if (json) return console.log(JSON.stringify(report));
  if (!report.changed) return console.log("Nothing to change: the files match the patch already.");
  const { length } = report.files.filter(({ kind }) => kind !== "unchanged");
  console.log(`${report.dryRun ? "Would change" : verb} ${length} ${length === 1 ? "file" : "files"}:`);
  for (const file of report.files) console.log(`  ${formatFile(file)}`);
  if (withDiff)
    for (const { diff } of report.files) if (diff !== undefined) console.log(`\n${diff.trimEnd()}`);
  if (report.transactionId !== undefined) console.log(`\nTo revert it: ${undoLine(report.transactionId)}`);
}
