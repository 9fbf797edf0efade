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

What was called, what was decided about it and by which rule, how it ended and what it changed:
for every program of this user that keeps its state here, or on the NATS server that the configuration names.

  haft ledger                              the newest calls of this folder's conversation
  haft ledger list --all --since 2h        of every conversation, of the last two hours
  haft ledger list --status failed --tool exec
  haft ledger show last                    the newest run of this folder's main conversation
  haft ledger show 0mwtug2s call_3         everything of one call
  haft ledger export last -o report.html   a page to look at, and to pass on
  haft ledger replay last                  the same calls again, beside the real files: what differs?
  haft ledger replay last --policy next.yaml
                                           which decisions would change; nothing runs

RUN is an id, the beginning of one, or last: the newest run of this folder's main conversation, or of the one that --session
names. SESSION is the key of a conversation: all of its runs.

list      Calls by their runs, the newest last; so without a word.
show      A run with its calls, or everything of one call: decision, plan, approval, result.
export    The page of the inspector with the runs inside (html), one file that sends no request and needs
          @haft/inspector; or the records (json, jsonl). Secrets are covered.
replay    Runs what read, wrote and executed again: in a copy of the files as they were when
          the conversation opened, in a sandbox, without network. Everything else is answered from the record.
          Where there is no sandbox, what acts on files alone.
check     Whether the file of the store is whole, or what is kept on the server.
forget    Removes records, and what was said there in haft chat; never of calls that wait for a decision.

      --session KEY         a conversation; main, group or sandboxed: that of this folder (default: main)
      --run RUN             one run
      --all                 every conversation
      --tool NAME           calls of one tool
      --status STATUS       pending, executing, completed, failed, or gap
      --outcome OUTCOME     ok, error, blocked, cancelled or pending
      --since TIME          from then on: 30m, 2h, 7d, 2026-11-23 or 2026-11-23T14:00
      --until TIME          before that
      --before TIME         with forget: runs before that
      --path FILE           calls whose plan names the file, or something in the folder; a plan is kept
                            where a rule, the boundary or a person looked at it
      --limit N             at most so many calls; default: 50
      --after WORD          the next page; the page before says the word
  -o, --out FILE            with export: the file; default: standard output
      --format FORMAT       with export: html, json or jsonl; default: as the file is named, else html
      --policy FILE         with replay: only which decisions this policy would change
      --live TOOL           with replay: run this tool, too, with network; may be given several times
      --files DIR           with replay: the files as they were, where the record does not have them
      --repair              with check: put a damaged file aside, and begin a new one; nothing is deleted
  -y, --yes                 with forget: do not ask
      --json                for programs; docs/reference/ledger.md has the forms
  -w, --workspace DIR       the folder whose conversation is meant; default: the current folder
      --config FILE         configuration that says where calls are kept; default: HAFT_CONFIG, or
                            ~/.config/haft/haft.config.yaml where it exists
      --no-config           read none: what is kept in the state folder
      --state DIR           where Haft keeps its state; default: HAFT_STATE_DIR, or
                            ~/.local/state/haft
  -h, --help                this text

Exit codes: 0 when it was done, 1 when not, 2 for wrong usage. replay: 0 when all is the same, 1 when something differs (or a
decision would), 3 when it cannot be said of something and nothing differs, 4 when it could not be done. check: 0 when the file is
whole, or was repaired, 1 when something is wrong with it.`;

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
      needs: "Which run? haft ledger show RUN [CALL]; haft ledger list shows both, and last is the newest.",
    }),
    export: loaded(async () => (await import("./export.ts")).exportCommand, exportOptions, {
      most: 1,
      needs: "Which run, or conversation? haft ledger export RUN|SESSION; haft ledger list shows both.",
    }),
    replay: loaded(async () => (await import("./replay.ts")).replayCommand, replayOptions, {
      most: 1,
      needs: "Which run, or conversation? haft ledger replay RUN|SESSION; last is the newest run.",
    }),
    check: loaded(async () => (await import("./check.ts")).check, checkLedgerOptions),
    forget: loaded(async () => (await import("./forget.ts")).forget, forgetOptions),
  },
  "list",
);
