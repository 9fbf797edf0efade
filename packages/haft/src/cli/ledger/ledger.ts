import { type Action, action, defineCommand, type CommandOptions, type Values } from "../usage.ts";
import {
  checkLedgerOptions,
  exportOptions,
  forgetOptions,
  listOptions,
  replayOptions,
  showOptions,
} from "./ledger-options.ts";

const help = `haft ledger [list] [options]
haft ledger show RUN [CALL]
haft ledger export RUN|SESSION [-o FILE] [--format html|json|jsonl]
haft ledger replay RUN|SESSION [--policy FILE] [--live TOOL]…
haft ledger check
haft ledger forget --run RUN|--session KEY|--before TIME [--yes]

Shows recorded calls, the decision and its rule, the outcome and the changes: of every program of this user with this
state folder, or with the NATS server of the configuration.

  haft ledger                              list the newest calls of this folder's conversation
  haft ledger list --all --since 2h        list calls of every conversation in the last two hours
  haft ledger list --status failed --tool exec
  haft ledger show last                    show the newest run of this folder's main conversation
  haft ledger show 0mwtug2s call_3         show everything about one call
  haft ledger export last -o report.html   write a page to read and to share
  haft ledger replay last                  run the same calls again on a copy of the files, and compare
  haft ledger replay last --policy next.yaml
                                           show which decisions would change; runs nothing

RUN is an id, the beginning of one, or last: the newest run of this folder's main conversation, or of the conversation
of --session. SESSION is the key of a conversation: all of its runs.

list      Lists calls by their runs, the newest last; the default action.
show      Shows a run with its calls, or everything about one call: decision, plan, approval, result.
export    Writes the page of the inspector with the runs inside (html), one file that sends no request and needs
          @haft/inspector; or the records (json, jsonl). Secrets are masked.
replay    Runs recorded reads, writes and commands again: in a copy of the files from the start of the conversation,
          in a sandbox, without network. Answers all other calls from the record. Without a sandbox, runs only
          calls that act on files.
check     Checks that the file of the store, or the records on the server, are intact.
forget    Removes records, and conversations of haft chat; never calls that wait for a decision.

      --session KEY         a conversation; main, group or sandboxed: that of this folder (default: main)
      --run RUN             one run
      --all                 every conversation
      --tool NAME           calls of one tool
      --status STATUS       pending, executing, completed, failed, or gap
      --outcome OUTCOME     ok, error, blocked, cancelled or pending
      --since TIME          calls from this time: 30m, 2h, 7d, 2026-11-23 or 2026-11-23T14:00
      --until TIME          calls before this time
      --before TIME         with forget: runs before this time
      --path FILE           calls whose plan names the file, or a file in the folder; a plan is stored if a rule,
                            the boundary or a person examined it
      --limit N             most calls to list; default: 50
      --after WORD          the next page; the previous page prints the word
  -o, --out FILE            with export: the file; default: standard output
      --format FORMAT       with export: html, json or jsonl; default: by the name of the file, or html
      --policy FILE         with replay: only show which decisions this policy would change
      --live TOOL           with replay: also run this tool, with network; can be repeated
      --files DIR           with replay: the original files, where the record does not have them
      --repair              with check: move a damaged file aside, and start a new one; deletes nothing
  -y, --yes                 with forget: do not ask
      --json                print JSON for programs; docs/reference/ledger.md has the forms
  -w, --workspace DIR       folder of the conversation; default: the current folder
      --config FILE         configuration that names the store of calls; default: HAFT_CONFIG, or
                            ~/.config/haft/haft.config.yaml if it exists
      --no-config           read no configuration, and use the state folder
      --state DIR           state folder of Haft; default: HAFT_STATE_DIR, or ~/.local/state/haft
  -h, --help                print this text

Exit codes: 0 if it succeeded, 1 if not, 2 for wrong usage. replay: 0 if all is the same, 1 if something differs (or a
decision would), 3 if nothing differs but something could not be compared, 4 if the replay failed. check: 0 if the
file is intact or was repaired, 1 if it is damaged.`;

function loaded<const O extends CommandOptions>(
  load: () => Promise<(values: Values<O>, words: string[]) => Promise<number>>,
  options: O,
  more: Partial<Action<O>> = {},
): Action {
  return action({ options, run: async (values, words) => (await load())(values, words), ...more });
}

export const ledgerCommand = defineCommand(
  help,
  {
    list: loaded(async () => (await import("./list.ts")).listCallsCommand, listOptions),
    show: loaded(async () => (await import("./show.ts")).show, showOptions, {
      most: 2,
      needs: "Name a run: haft ledger show RUN [CALL]; haft ledger list shows both, and last is the newest.",
    }),
    export: loaded(async () => (await import("./export.ts")).exportCommand, exportOptions, {
      most: 1,
      needs: "Name a run or a conversation: haft ledger export RUN|SESSION; haft ledger list shows both.",
    }),
    replay: loaded(async () => (await import("./replay.ts")).replayCommand, replayOptions, {
      most: 1,
      needs: "Name a run or a conversation: haft ledger replay RUN|SESSION; last is the newest run.",
    }),
    check: loaded(async () => (await import("./check.ts")).check, checkLedgerOptions),
    forget: loaded(async () => (await import("./forget.ts")).forget, forgetOptions),
  },
  "list",
);
