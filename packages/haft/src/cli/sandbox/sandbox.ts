import { sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { action, defineCommand, FLAG, parseChoice } from "../usage.ts";

const help = `haft sandbox doctor [contained] [--sandbox BACKEND] [--json]
haft sandbox list [--sandbox BACKEND] [--json]
haft sandbox prune [--sandbox BACKEND] [--all] [--json]
haft sandbox explain [contained] [session options] [--json]
haft sandbox restore [PATH...] [--all] [--state DIR] [--json]

Shows the sandboxes of sessions on this machine, and the views of contained commands.

doctor    Starts a sandbox with each backend and measures it: which backends work, how fast, which limits apply, and
          for the others the reason and a fix. Also opens a view of the host, and shows whether commands can be
          contained in it and what it restricts; the word contained does only that.
          Last, shows how commands of other sessions are separated and ended.
          Tries all backends at once, which slows each down; a named backend is measured alone.
list      Lists the sandboxes of all processes of Haft, also after a crash.
prune     Removes sandboxes that have stopped or whose process of Haft has ended; --all also removes sandboxes that
          are in use.
explain   Shows the sandbox of a session here: backend and reason, scope, folders, network, limits, variables, where
          commands run, and which tools it has. Opens one as a test, without its setup, and closes it.
          With the word contained: shows the view of a session on the host whose commands are contained by policy:
          what they write, what stays as it is, what is hidden, git, the network, and what is not protected and
          why. Opens only one view, as a test.
restore   Restores files from quarantine: contained commands created them, and they would start programs, such as
          settings of editors and agents, and hooks. Without PATH: lists those of the current folder. With PATH or
          --all: restores the newest version of each, and git checks tracked files again.

      --all                 with prune: also sandboxes in use; with restore: all listed files
      --json                print JSON for programs

${sessionArgumentsHelp}

Exit codes: 0 if all is correct, 1 if no sandbox works here (doctor, explain), commands would not be contained (both
with contained), something could not be removed (prune) or restored (restore), or a backend did not answer (list,
prune), 2 for wrong usage.`;

const { sandbox, state } = sessionArguments;
const onlyContained = { words: ["contained"], most: 1 } as const;
const isContained = (words: readonly string[]) =>
  words.map((word) => parseChoice("The operand", word, onlyContained.words)).length > 0;

/** Loads actions on demand: `explain` needs a whole host. */
export const sandboxCommand = defineCommand(help, {
  doctor: action({
    options: { sandbox, json: FLAG },
    ...onlyContained,
    run: async (values, words) => (await import("./doctor.ts")).runSandboxDoctor(values, isContained(words)),
  }),
  list: action({
    options: { sandbox, json: FLAG },
    run: async (values) => (await import("./list.ts")).listSandboxes(values),
  }),
  prune: action({
    options: { sandbox, json: FLAG, all: FLAG },
    run: async (values) => (await import("./list.ts")).pruneSandboxes(values),
  }),
  restore: action({
    options: { state, json: FLAG, all: FLAG },
    most: Infinity,
    names: "file",
    run: async (values, paths) => (await import("./restore.ts")).restoreFromQuarantine(values, paths),
  }),
  explain: action({
    options: { ...sessionArguments, json: FLAG },
    ...onlyContained,
    run: async (values, words) =>
      isContained(words)
        ? (await import("./explain-containment.ts")).explainContainment(values)
        : (await import("./explain-sandbox.ts")).explainSandbox(values),
  }),
});
