import { applyPatchWith, type ChangeReport } from "@haft/tools-fs/internal";
import { readFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { createHost } from "../../host/host.ts";
import { undoCommand } from "../place/next-command.ts";
import { readSessionValues } from "../session-arguments.ts";
import { defineCommand, UsageError } from "../usage.ts";
import { formatFile } from "./format-file.ts";
import { listChanges } from "./list-changes.ts";

const help = `haft patch [FILE] [options]

Applies a patch (*** Begin Patch … *** End Patch) from FILE or standard input to the files of
the workspace: all of it, or nothing. Prints what changed and the id that takes it back.

  haft patch < changes.patch
  haft patch --dry-run changes.patch
  haft patch --list
  haft patch --undo ID

  -n, --dry-run             show what would happen and write nothing
      --list                the changes in this folder that are still kept, newest first: those of file
                            tools and patches, with what undoing them now would take back
      --undo ID             take a change back; refused when its files changed since
      --diff                print the diff of every file
      --project-settings    also change settings that start programs, such as .vscode and .envrc
      --json                the whole report as one line; with --list {"changes":[…]}
  -w, --workspace DIR       folder the patch is for; default: the current folder
      --root NAME=DIR[:ro|:rw]
                            one more folder, addressed as NAME:path
      --state DIR           where Haft keeps what was changed; default: HAFT_STATE_DIR, or
                            ~/.local/state/haft
  -h, --help                this text

Exit codes: 0 when it was applied (or would be) or listed, 1 when not, 2 for wrong usage.`;

export const patchCommand = defineCommand(
  help,
  {
    "dry-run": { type: "boolean", short: "n" },
    list: { type: "boolean" },
    undo: { type: "string" },
    diff: { type: "boolean" },
    json: { type: "boolean" },
    "project-settings": { type: "boolean" },
    workspace: { type: "string", short: "w", names: "folder" },
    root: { type: "string", multiple: true },
    state: { type: "string", names: "folder" },
    help: { type: "boolean", short: "h" },
  },
  async (values, positionals) => {
    if (positionals.length > 1) throw new UsageError("haft patch reads one file.");
    if (values.undo !== undefined && positionals.length > 0)
      throw new UsageError("--undo takes an id and no file.");
    if (values.list) refuseBesideList(values, positionals);
    const { host: options } = await readSessionValues({ ...values, "no-config": true });
    if (values["project-settings"]) options.boundary = { ...options.boundary, projectSettings: [] };
    const host = await createHost(options);
    const dryRun = values["dry-run"] ?? false;
    try {
      if (values.list) return await listChanges(host, values.json ?? false);
      const report =
        values.undo === undefined
          ? (await applyPatchWith(host.changes, await readPatch(positionals[0]), { dryRun })).report
          : await host.changes.undo(values.undo, { dryRun });
      if (values.json) console.log(JSON.stringify(report));
      else print(report, values.diff ?? dryRun, values.undo !== undefined);
      return 0;
    } finally {
      await host.close();
    }
  },
  { names: "file" },
);

/** @throws UsageError for what has no meaning beside it */
function refuseBesideList(values: Readonly<Record<string, unknown>>, files: readonly string[]): void {
  const foreign = ["dry-run", "undo", "diff", "project-settings"].find((name) => values[name] !== undefined);
  if (foreign !== undefined)
    throw new UsageError(`--list shows what there is, so --${foreign} has no meaning.`);
  if (files.length > 0) throw new UsageError("--list takes no file.");
}

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
  for (const file of report.files) console.log(`  ${formatFile(file)}`);
  if (withDiff)
    for (const { diff } of report.files) if (diff !== undefined) console.log(`\n${diff.trimEnd()}`);
  if (report.transactionId !== undefined)
    console.log(`\nTo take it back: ${undoCommand(report.transactionId)}`);
}
