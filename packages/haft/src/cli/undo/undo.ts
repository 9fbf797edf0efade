import { HaftError } from "@haft/core";
import type { RewindRequest } from "@haft/core/internal";
import { recordRewind } from "@haft/core/internal/records";
import type { RewindReport } from "@haft/core/kernel";
import { recordUndo } from "@haft/history/ledger";
import type { Host } from "@haft/host";
import { rewindFiles } from "@haft/host/internal/host";
import { didYouMean, nearestNames } from "@haft/utils";
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

Without an operand, lists the stored changes of file tools and patches in this folder, newest first, with the effect
of undoing each now. With CHANGE, an id of that list, reverts this change, and refuses if its files changed since.

With --to, restores every file that file tools changed in a session since a call, including that call, to its state
before the call. This is one change, which you can revert. SESSION is a run (its id, or the beginning of it), the key
of a conversation, or last, this folder's main conversation. In a conversation, CALL belongs to its newest run with
such a call, and changes of later runs are restored as well. Each haft tools call is a run with a call_1, so CALL can
also be the id of a run: its first call. haft ledger list --all shows runs and calls.

  haft undo last --to call_3 --dry-run
  haft undo last --to call_3
  haft undo 0mwtug2s --to call_7 --skip-conflicts

If call_3 wrote notes.txt, call_4 edited main.c and call_5 ran make, the first example shows that notes.txt and main.c
would be as before call_3, and that the output of make stays.

A conflict is a file that another user, session or command has changed since, or a file that depends on it (the other
name of a renamed file). Conflicts are listed and stay as they are. If there is one, nothing is restored, unless
--skip-conflicts restores the rest. Changes of commands are not reverted: the commands are listed.

      --to CALL             restore files to their state before this call, or before the first call of this run
  -n, --dry-run             show the changes and write nothing
      --skip-conflicts      with --to: restore the files without conflicts
      --project-settings    also restore settings that start programs, such as .vscode and .envrc
      --json                print the whole report as one line; the list as {"changes":[…]}
  -w, --workspace DIR       folder of the session; default: the current folder
      --root NAME=DIR[:ro|:rw]
                            one more folder of the session
      --config FILE         configuration that names the store of calls; default: HAFT_CONFIG, or
                            ~/.config/haft/haft.config.yaml if it exists
      --no-config           read no configuration
      --state DIR           folder of calls and changes; default: HAFT_STATE_DIR, or ~/.local/state/haft
  -h, --help                print this text

Exit codes: 0 if files were restored (or would be, without those that --skip-conflicts leaves out) or changes were
listed; 1 if not; 2 for wrong usage.`;

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
      if (foreign) throw new UsageError(`--${foreign} needs haft undo SESSION --to CALL.`);
      if (to !== undefined && name === undefined)
        throw new UsageError("Name a session: haft undo SESSION --to CALL.");
      if (name === "last" && to === undefined)
        throw new UsageError("last needs a call: haft undo last --to CALL.");
      const { config: _, ...others } = values;
      return withFileChanges(others, async (host) => {
        if (name === undefined) return listChanges(host, json ?? false);
        if (to === undefined) {
          const report = await host.changes.undo(name, { dryRun }).catch(async (thrown: unknown) => {
            throw await withNearestChange(thrown, name, host);
          });
          printChange(report, { json, withDiff: dryRun, verb: "Reverted" });
          return 0;
        }
        const report = await undoTo(host, name, to, values);
        print(json, report, () => describeRewind(report, report.recorded));
        return report.refused ? 1 : 0;
      });
    },
  }),
);

/** Names similar ids, and the command that lists all. */
async function withNearestChange(thrown: unknown, name: string, host: Host): Promise<unknown> {
  if (!HaftError.is(thrown) || thrown.code !== "TRANSACTION_NOT_FOUND") return thrown;
  const { code, message, category, details = {} } = thrown;
  if ("root" in details) return thrown;
  const ids = (await host.changes.list()).map(({ id }) => id);
  const named = ["last --to CALL", ...ids].filter((each) => nearestNames(name, [each.split(" ")[0]!]).length);
  const fix = `\`haft undo\` lists the changes that can be reverted.${didYouMean(named.map((each) => `haft undo ${each}`))}`;
  return new HaftError(code, message, { category, fix, details, receipt: "none", cause: thrown });
}

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
    // The operator needs no approval.
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
