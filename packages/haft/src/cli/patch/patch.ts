import { HaftError } from "@haft/core";
import type { FileChange } from "@haft/tools-fs";
import { applyPatchWith, type ChangeReport } from "@haft/tools-fs/internal";
import { readFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { createHost } from "../../host/host.ts";
import { readSessionValues } from "../session-arguments.ts";
import { defineCommand, UsageError } from "../usage.ts";

const help = `haft patch [FILE] [options]

Applies a patch (*** Begin Patch … *** End Patch) from FILE or standard input to the files of
the workspace: all of it, or nothing. Prints what changed and the id that takes it back.

  haft patch < changes.patch
  haft patch --dry-run changes.patch
  haft patch --undo ID

  -n, --dry-run             show what would happen and write nothing
      --undo ID             take a change back; refused when its files changed since
      --diff                print the diff of every file
      --project-settings    also change settings that start programs, such as .vscode and .envrc
      --json                the whole report as one line
  -w, --workspace DIR       folder the patch is for; default: the current folder
      --root NAME=DIR[:ro|:rw]
                            one more folder, addressed as NAME:path
  -h, --help                this text

Exit codes: 0 when it was applied (or would be), 1 when not, 2 for wrong usage.`;

const MARKS: Record<FileChange["kind"], string> = {
  added: "A",
  modified: "M",
  deleted: "D",
  moved: "R",
  unchanged: "=",
};

export const patchCommand = defineCommand(
  help,
  {
    "dry-run": { type: "boolean", short: "n" },
    undo: { type: "string" },
    diff: { type: "boolean" },
    json: { type: "boolean" },
    "project-settings": { type: "boolean" },
    workspace: { type: "string", short: "w" },
    root: { type: "string", multiple: true },
    help: { type: "boolean", short: "h" },
  },
  async (values, positionals) => {
    if (positionals.length > 1) throw new UsageError("haft patch reads one file.");
    if (values.undo !== undefined && positionals.length > 0)
      throw new UsageError("--undo takes an id and no file.");
    const { host: options } = await readSessionValues({ ...values, "no-config": true });
    if (values["project-settings"]) options.boundary = { ...options.boundary, projectSettings: [] };
    const host = await createHost(options);
    const dryRun = values["dry-run"] ?? false;
    try {
      const report =
        values.undo === undefined
          ? (await applyPatchWith(host.changes, await readPatch(positionals[0]), { dryRun })).report
          : await host.changes.undo(values.undo, { dryRun });
      if (values.json) console.log(JSON.stringify(report));
      else print(report, values.diff ?? dryRun, values.undo !== undefined);
      return 0;
    } catch (thrown) {
      if (!values.json || !HaftError.is(thrown)) throw thrown;
      const { code, message, fix, details } = thrown;
      console.log(JSON.stringify({ error: code, message, fix, ...details }));
      return 1;
    } finally {
      await host.close();
    }
  },
);

async function readPatch(path: string | undefined): Promise<string> {
  if (path === undefined || path === "-") return readAll(process.stdin);
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`There is no file ${path}.`);
  }
}

function print(report: ChangeReport, withDiff: boolean, isUndo: boolean): void {
  const verb = report.dryRun ? "Would change" : isUndo ? "Took back" : "Changed";
  if (!report.changed) {
    console.log("Nothing to change: the files are as the patch wants them.");
    return;
  }
  const changed = report.files.filter(({ kind }) => kind !== "unchanged");
  console.log(`${verb} ${changed.length} ${changed.length === 1 ? "file" : "files"}:`);
  for (const { kind, path, from, added, removed } of report.files) {
    const moved = from === undefined ? path : `${from} -> ${path}`;
    console.log(`  ${MARKS[kind]} ${moved}  +${added} -${removed}`);
  }
  if (withDiff)
    for (const { diff } of report.files) if (diff !== undefined) console.log(`\n${diff.trimEnd()}`);
  if (report.transactionId !== undefined)
    console.log(`\nTo take it back: haft patch --undo ${report.transactionId}`);
}
