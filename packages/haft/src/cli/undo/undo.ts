import type { RewindRequest } from "@haft/core/internal";
import { recordRewind } from "@haft/core/internal/records";
import type { RewindReport } from "@haft/core/kernel";
import { recordUndo } from "@haft/history/ledger";
import type { Host } from "@haft/host";
import { rewindFiles } from "@haft/host/internal/host";
import { withNewLedger } from "../ledger/open-ledger.ts";
import { sessionArguments } from "../session-arguments.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { action, defineCommand, FLAG, TEXT, UsageError, type Values } from "../usage.ts";
import { print } from "../write-out.ts";
import { changeOptions, printChange, withFileChanges } from "./change.ts";
import { describeRewind } from "./describe-rewind.ts";
import { findCalls } from "./find-calls.ts";
import { listChanges } from "./list-changes.ts";

const help = `haft undo [options]
haft undo CHANGE [options]
haft undo SESSION --to CALL [options]

Without a word it lists the changes of file tools and patches in this folder that are still kept, newest first, with what
undoing them now would take back. With CHANGE, an id of that list, it takes that one back, and refuses when its files
changed since.

With --to it puts every file that file tools changed in a session since a call, that call included, back as it
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
      --skip-conflicts      with --to: put the rest back where files are in conflict
      --project-settings    also put back settings that start programs, such as .vscode and .envrc
      --json                the whole report as one line; of the list {"changes":[…]}
  -w, --workspace DIR       folder the session worked in; default: the current folder
      --root NAME=DIR[:ro|:rw]
                            one more folder of the session
      --config FILE         configuration that says where calls are recorded; default: HAFT_CONFIG, or
                            ~/.config/haft/haft.config.yaml where it exists
      --no-config           read none
      --state DIR           where Haft keeps calls and what was changed; default: HAFT_STATE_DIR, or
                            ~/.local/state/haft
  -h, --help                this text

Exit codes: 0 when files are as they were (or would be), but for what --skip-conflicts left out, or when changes were
listed; 1 when not; 2 for wrong usage.`;

const { config, "no-config": noConfig } = sessionArguments;
const options = {
  ...changeOptions,
  config,
  "no-config": noConfig,
  to: TEXT,
  "skip-conflicts": FLAG,
} as const;

export const undoCommand = defineCommand(
  help,
  action({
    options,
    most: 1,
    async run(values, [name]) {
      const { to, json, "dry-run": dryRun = false } = values;
      const foreign =
        to === undefined &&
        (["skip-conflicts", ...(name === undefined ? ["dry-run", "project-settings"] : [])] as const).find(
          (option) => option in values,
        );
      if (foreign) throw new UsageError(`--${foreign} goes with haft undo SESSION --to CALL.`);
      if (to !== undefined && name === undefined)
        throw new UsageError("Whose call? haft undo SESSION --to CALL.");
      const { config: _, ...others } = values;
      return withFileChanges(others, async (host) => {
        if (name === undefined) return listChanges(host, json ?? false);
        if (to === undefined) {
          const report = await host.changes.undo(name, { dryRun });
          printChange(report, { json, withDiff: dryRun, verb: "Took back" });
          return 0;
        }
        const report = await undoTo(host, name, to, values);
        print(json, report, () => describeRewind(report, report.recorded));
        return report.refused ? 1 : 0;
      });
    },
  }),
);

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
  const rewind = (wanted: RewindRequest) => rewindFiles(host.changes, wanted);
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
