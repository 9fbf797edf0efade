import { sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { action, defineCommand, FLAG, parseChoice } from "../usage.ts";

const help = `haft sandbox doctor [contained] [--sandbox BACKEND] [--json]
haft sandbox list [--sandbox BACKEND] [--json]
haft sandbox prune [--sandbox BACKEND] [--all] [--json]
haft sandbox explain [contained] [session options] [--json]
haft sandbox restore [PATH...] [--all] [--state DIR] [--json]

What sandboxed sessions work in on this machine, and what contained commands of others run in.

doctor    Really starts a sandbox with each backend and measures it: which work, how fast, which
          limits hold, and for the others why not and what to do. Also opens a view of the host and
          says whether commands can be contained in one, and what it holds; the word contained does only that.
          Last, what commands of other sessions are kept apart by and ended with.
          All are tried at once, which costs each some time; one that is named is measured alone.
list      The sandboxes of Haft that are there, of all its processes, also after a crash.
prune     Removes those that have stopped, and those whose Haft is gone; --all removes every
          one, also those that are in use.
explain   What a sandboxed session here would be: backend and why, scope, folders, network, limits,
          variables, where commands run, and which tools it has. One is opened to see whether that
          works, without its setup, and closed again.
          With the word contained: the map of places of a session on the host whose commands policy wants
          contained: what they write, what stays as it is, what is not there, git, the network, and
          what is not held and why. Nothing is opened for it but one view, to see whether that works.
restore   Files that contained commands left and that start programs are quarantined: settings of
          editors and agents, hooks. Without PATH: lists those of the current folder. With PATH or
          --all: restores the newest version of each, and git looks at tracked ones again.

      --all                 with prune: every one, also what is in use; with restore: all that is listed
      --json                for programs

${sessionArgumentsHelp}

Exit codes: 0 when all is well, 1 when no sandbox works here (doctor, explain), commands would not
be contained (both with contained), something could not be removed (prune) or restored (restore), or a
backend could not be asked (list, prune), 2 for wrong usage.`;

const { sandbox, state } = sessionArguments;
const asked = { words: ["contained"], most: 1 } as const;
const isContained = (words: readonly string[]) =>
  words.map((word) => parseChoice("What is looked at", word, asked.words)).length > 0;

/** `explain` needs a whole host, so actions load on demand. */
export const sandboxCommand = defineCommand(help, {
  doctor: action({
    options: { sandbox, json: FLAG },
    ...asked,
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
    ...asked,
    run: async (values, words) =>
      isContained(words)
        ? (await import("./explain-containment.ts")).explainContainment(values)
        : (await import("./explain-sandbox.ts")).explainSandbox(values),
  }),
});
