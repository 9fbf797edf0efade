import { recordRewind } from "@haft/core/internal/records";
import type { Rewinding, RewindReport } from "@haft/core/kernel";
import { createHost, type Host } from "../../host/host.ts";
import { rewindWith } from "../../host/rewind-files.ts";
import { recordUndo } from "../../ledger/rewind/record-undo.ts";
import { withNewLedger } from "../ledger/open-ledger.ts";
import { readSessionValues } from "../session-arguments.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { defineCommand, UsageError, type Values } from "../usage.ts";
import { describeRewind } from "./describe-rewind.ts";
import { findCalls } from "./find-calls.ts";

const help = `haft undo SESSION --to CALL [options]

Puts every file that file tools changed in a session since a call, that call included, back as it
was before it: all of them as one change, which can be taken back itself. SESSION is a run (its id, or the
beginning of it), the key of a conversation (its newest run that has the call) or last, the newest run of
this folder's main conversation; haft ledger list --all shows them and their calls.

  haft undo last --to call_3 --dry-run
  haft undo last --to call_3
  haft undo 0mwtug2s --to call_7 --skip-conflicts

If call_3 was a write of notes.txt, call_4 an edit of main.c and call_5 a make, the first example shows that
notes.txt and main.c would be as they were before call_3, and that what make left stays.

A file that somebody else, another session or a command changed meanwhile is a conflict, and so is what hangs
together with it (the other name of a renamed file). Conflicts are listed and left as they are; with one, nothing
is put back, unless --skip-conflicts says to put back the rest. What commands changed is not put back: they are named.

      --to CALL             the call before which files are to be as they were
  -n, --dry-run             show what would happen and write nothing
      --skip-conflicts      put the rest back where files are in conflict
      --project-settings    also put back settings that start programs, such as .vscode and .envrc
      --json                the whole report as one line
  -w, --workspace DIR       folder the session worked in; default: the current folder
      --root NAME=DIR[:ro|:rw]
                            one more folder of the session
      --config FILE         configuration that says where calls are recorded; default: HAFT_CONFIG, or
                            ~/.config/haft/haft.config.yaml where it exists
      --no-config           read none
      --state DIR           where Haft keeps calls and what was changed; default: HAFT_STATE_DIR, or
                            ~/.local/state/haft
  -h, --help                this text

Exit codes: 0 when files are as they were (or would be), but for what --skip-conflicts left out; 1 when not;
2 for wrong usage.`;

const options = {
  to: { type: "string" },
  "dry-run": { type: "boolean", short: "n" },
  "skip-conflicts": { type: "boolean" },
  "project-settings": { type: "boolean" },
  json: { type: "boolean" },
  workspace: { type: "string", short: "w", names: "folder" },
  root: { type: "string", multiple: true },
  config: { type: "string", names: "file" },
  "no-config": { type: "boolean" },
  state: { type: "string", names: "folder" },
  help: { type: "boolean", short: "h" },
} as const;

export const undoCommand = defineCommand(help, options, async (values, positionals) => {
  const [name, ...more] = positionals;
  const { to } = values;
  if (name === undefined || more.length > 0)
    throw new UsageError("haft undo takes one session: haft undo SESSION --to CALL.");
  if (to === undefined)
    throw new UsageError(
      "--to says before which call files are to be as they were: haft undo SESSION --to CALL. A single change is taken back by haft patch --undo ID.",
    );
  // What a configuration says of sessions is not needed; where these were recorded is.
  const { config: _, ...others } = values;
  const { host: hostOptions } = await readSessionValues({ ...others, "no-config": true });
  if (values["project-settings"]) hostOptions.boundary = { ...hostOptions.boundary, projectSettings: [] };
  const host = await createHost(hostOptions);
  try {
    const report = await undoTo(host, name, to, values);
    console.log(values.json ? JSON.stringify(report) : describeRewind(report, report.recorded));
    return report.refused ? 1 : 0;
  } finally {
    await host.close();
  }
});

async function undoTo(
  host: Host,
  name: string,
  to: string,
  values: Values<typeof options>,
): Promise<RewindReport & { recorded: boolean }> {
  const dryRun = values["dry-run"] ?? false;
  const { records, run, ...found } = await findCalls(host, name, to, values, dryRun);
  const rewinding = {
    ...found,
    workspace: host.workspace,
    dryRun,
    skipConflicts: values["skip-conflicts"] ?? false,
    // It is the operator who says so.
    allow: async () => {},
  };
  const rewind = (wanted: Rewinding) => rewindWith(host.changes, wanted);
  const rewound = records ?? [];
  const report = dryRun
    ? await recordRewind(to, rewinding, { rewind, rewound })
    : await withNewLedger(values, (ledger) =>
        recordUndo(ledger, { run, ...found, workspace: host.workspace, by: "haft undo" }, to, rewinding, {
          rewind,
          rewound,
          logger: stderrLogger,
        }),
      );
  return { ...report, recorded: records !== undefined };
}
