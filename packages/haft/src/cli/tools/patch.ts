import { applyPatchWith } from "@haft/tools-fs/internal";
import { readFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { sessionArguments } from "../session-arguments.ts";
import { changeOptions, printChange, withChanges } from "../undo/change.ts";
import { action, UsageError } from "../usage.ts";

export const patchAction = action({
  options: { ...changeOptions, root: sessionArguments.root, format: { type: "string", words: ["diff"] } },
  names: "file",
  most: 1,
  run: (values, [file]) =>
    withChanges(values, async ({ changes }) => {
      const dryRun = values["dry-run"] ?? false;
      const { report } = await applyPatchWith(changes, await readPatch(file), { dryRun });
      printChange(report, {
        json: values.json,
        withDiff: dryRun || values.format === "diff",
        verb: "Changed",
      });
      return 0;
    }),
});

async function readPatch(path: string | undefined): Promise<string> {
  if (path === undefined || path === "-") return readAll(process.stdin);
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`There is no file ${path}.`);
  }
}
