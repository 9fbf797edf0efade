import type { RewindReport } from "@haft/core/kernel";
import { escapeInvisible } from "@haft/utils";
import { undoLine } from "../location/next-command.ts";
import { formatFile } from "./change.ts";

export function describeRewind(report: RewindReport, recorded: boolean): string {
  const { toolCallId, dryRun, refused, transactionId, files, conflicts, notUndone, note } = report;
  const call = escapeInvisible(toolCallId);
  const listed = files.map((file) => `  ${formatFile(file)}`);
  const many = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  const left = conflicts.map(({ path, why }) => `  ${escapeInvisible(path)}: ${escapeInvisible(why)}`);
  const lines: string[] = [];
  if (refused) {
    lines.push("Nothing was restored, because these files would lose other changes:", ...left);
    if (files.length > 0)
      lines.push("", `With --skip-conflicts ${many} would be as before ${call}:`, ...listed);
  } else {
    const verb = dryRun ? "Would restore" : "Restored";
    lines.push(
      ...(files.length > 0
        ? [`${verb} ${many}, as before ${call}:`, ...listed]
        : [`All files are already as before ${call}.`]),
    );
    if (left.length > 0) lines.push("", "Not restored:", ...left);
  }
  if (notUndone.length > 0)
    lines.push(
      "",
      "Not undone:",
      ...notUndone.map(
        ({ toolCallId: id, toolName, what, why }) =>
          `  ${escapeInvisible(id)} ${escapeInvisible(toolName)}${what === undefined ? "" : ` \`${what}\``}: ${why}`,
      ),
    );
  if (!recorded) lines.push("", "Its calls are not recorded: commands that ran since are unknown.");
  if (note !== undefined) lines.push("", escapeInvisible(note));
  if (transactionId !== undefined) lines.push("", `To revert it: ${undoLine(transactionId)}`);
  return lines.join("\n");
}
