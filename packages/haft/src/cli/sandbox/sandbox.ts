import { messageOf } from "@haft/core";
import { sessionArguments, sessionArgumentsHelp, type SessionValues } from "../session-arguments.ts";
import { defineCommand, noSuchAction, UsageError } from "../usage.ts";
import { examine } from "./doctor.ts";
import { explainSandbox } from "./explain-sandbox.ts";
import { findSandboxes, listSandboxes, sayUnasked } from "./list.ts";

const help = `haft sandbox doctor [--sandbox BACKEND | --contained] [--json]
haft sandbox list [--sandbox BACKEND] [--json]
haft sandbox prune [--sandbox BACKEND] [--all] [--json]
haft sandbox explain [--contained] [session options] [--json]

What sandboxed sessions work in on this machine, and what contained commands of others run in.

doctor    Really starts a sandbox with each backend and measures it: which work, how fast, which
          limits hold, and for the others why not and what to do. Then opens a view of the host and
          says whether commands can be contained in one, and what it holds; --contained does only that.
list      The sandboxes of Haft that are there, of all its processes, also after a crash.
prune     Removes those that have stopped, and those whose Haft is gone; --all removes every
          one, also those that are in use.
explain   What a sandboxed session here would be: backend and why, scope, folders, network, limits,
          variables, where commands run, and which tools it has. One is opened to see whether that
          works, without its setup, and closed again.
          With --contained: the map of places of a session on the host whose commands policy wants
          contained: what they write, what stays as it is, what is not there, git, the network, and
          what is not held and why. Nothing is opened for it but one view, to see whether that works.

      --contained           with doctor and explain: contained commands of sessions on the host
      --all                 with prune: every one, also what is in use
      --json                for programs

${sessionArgumentsHelp}

Exit codes: 0 when all is well, 1 when no sandbox works here (doctor, explain), commands would not
be contained (both with --contained), something could not be removed (prune) or a backend could not
be asked (list, prune), 2 for wrong usage.`;

const options = {
  ...sessionArguments,
  json: { type: "boolean" },
  all: { type: "boolean" },
  contained: { type: "boolean" },
} as const;

const ACTIONS = { doctor: examine, list: listSandboxes, prune: pruneSandboxes, explain: explainSandbox };
const NAMES = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];
/** All that an action goes by, where that is not everything: what would be left out of account is refused. */
const TAKES: Partial<Record<keyof typeof ACTIONS, readonly string[]>> = {
  doctor: ["sandbox", "json", "contained"],
  list: ["sandbox", "json"],
  prune: ["sandbox", "json", "all"],
};

export const sandboxCommand = defineCommand(help, options, async (values, positionals) => {
  const [name, ...rest] = positionals;
  const action = NAMES.find((known) => known === name);
  if (action === undefined) throw noSuchAction("sandbox", name, NAMES);
  if (rest.length > 0) throw new UsageError(`haft sandbox ${action} takes no "${rest[0]}".`);
  const takes = TAKES[action] ?? Object.keys(options).filter((option) => option !== "all");
  const foreign = Object.keys(values).find((option) => !takes.includes(option));
  if (foreign !== undefined) throw new UsageError(`haft sandbox ${action} takes no --${foreign}.`);
  return ACTIONS[action](values);
});

/** `haft sandbox prune`: exit code 1 when one could not be removed, or a backend not be asked. */
async function pruneSandboxes(values: SessionValues & { json?: boolean; all?: boolean }): Promise<number> {
  const { json, all } = values;
  const { found, unasked } = await findSandboxes(values);
  const wanted = found.filter(({ ref }) => all === true || ref.state === "stopped");
  const removed: string[] = [];
  const failed: { key: string; reason: string }[] = [];
  for (const { backend, ref } of wanted) {
    try {
      if (await backend.destroy(ref)) removed.push(ref.key);
    } catch (thrown) {
      failed.push({ key: ref.key, reason: messageOf(thrown) });
    }
  }
  const kept = found.length - wanted.length;
  if (json) console.log(JSON.stringify({ removed, failed, kept, unasked }));
  else {
    console.log(
      `Removed ${removed.length}, kept ${kept}${kept > 0 && !all ? " that run (--all removes them, too)" : ""}.`,
    );
    for (const { key, reason } of failed) console.error(`haft: ${key} could not be removed: ${reason}`);
    sayUnasked(unasked);
  }
  return failed.length + unasked.length === 0 ? 0 : 1;
}
