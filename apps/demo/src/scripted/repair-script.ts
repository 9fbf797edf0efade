import { posix } from "node:path";
import type { ChatRequest, Reply } from "./chat.ts";
import { readConversation, type Conversation, type Exchange } from "./conversation.ts";
import { call, callsAfter, last, say } from "./steps.ts";
import { tryServer } from "./try-server.ts";

export const MANIFEST = "package.json";
const CHANGELOG = "CHANGELOG.md";

/**
 * A model that repairs one kind of bug: month arithmetic that runs over the end of a month. It
 * knows no source by name. It runs the tests as package.json says, reads the one that fails,
 * follows the imports, looks for the pattern in what it was shown, runs the tests again, tries the
 * server, and gives up in words when a call fails or something is not as it must be.
 */
export function repairScript(request: ChatRequest): Reply {
  const seen = readConversation(request);
  const failed = seen.exchanges.at(-1);
  if (failed?.failed && failed.name !== "notify") {
    return say(`I stop here, because ${failed.name} failed: ${failed.answer.slice(0, 120)}`);
  }
  const manifest = lastRead(seen, MANIFEST);
  if (!manifest) return call("read", { file_path: MANIFEST }, "First, how are the tests run?");
  const [test, start] = ["test", "start"].map((name) => scriptOf(manifest.answer, name));
  if (test === undefined) return say(`${MANIFEST} does not say how the tests are run.`);
  return (
    findCause(seen, test) ??
    checkRepair(seen, test) ??
    (start === undefined ? undefined : tryServer(seen, start)) ??
    noteChange(seen) ??
    tellTeam(seen) ??
    conclude(seen)
  );
}

/** A command of package.json, as it is written there. */
export function scriptOf(manifest: string, name: string): string | undefined {
  return new RegExp(`"${name}": "([^"\\\\]+)"`).exec(manifest)?.[1];
}

/** Reads from the failing test along the imports until the cause is in sight, then repairs it. */
export function findCause(seen: Conversation, test: string): Reply | undefined {
  if (last(seen, "edit")) return undefined;
  const run = last(seen, "exec");
  if (!run) return call("exec", { command: test }, "I run them.");
  const failing = failingTest(run.answer);
  if (failing === undefined) return say("The test run names no failing test, so there is nothing to repair.");
  const files = [failing];
  for (const file of files) {
    const shown = lastRead(seen, file);
    if (!shown)
      return call("read", { file_path: file }, file === failing ? "One fails. I read it." : undefined);
    const repair = repairOf(shown.answer);
    if (repair) {
      const cause = "Found it: when the month is too short, setUTCMonth runs over into the next one.";
      return call("edit", { file_path: file, old_string: repair.before, new_string: repair.after }, cause);
    }
    for (const imported of importsOf(file, shown.answer)) if (!files.includes(imported)) files.push(imported);
  }
  return say("I read the failing test and everything it imports, and I do not see the cause.");
}

/** The exact text to replace, when the file has the bug. */
function repairOf(source: string): { before: string; after: string } | undefined {
  const bug = /^( *)(\w+)\.setUTCMonth\(\2\.getUTCMonth\(\) \+ \w+\);\n(?=\1return \2;)/m.exec(source);
  const original = bug && new RegExp(`\\b${bug[2]} = new Date\\((\\w+)\\)`).exec(source)?.[1];
  if (!bug || original === undefined) return undefined;
  const [before, indent, variable] = bug;
  const after = [
    before.trimEnd(),
    `${indent}// Where the month has no such day, day 0 of the month after it is its last one.`,
    `${indent}if (${variable}.getUTCDate() !== ${original}.getUTCDate()) ${variable}.setUTCDate(0);`,
    "",
  ];
  return { before, after: after.join("\n") };
}

function importsOf(file: string, source: string): string[] {
  return Array.from(source.matchAll(/\bfrom "(\.\.?\/[^"]+)"/g), ([, path]) =>
    posix.join(posix.dirname(file), path!),
  );
}

/** Runs the tests again: what counts is what they say now. */
export function checkRepair(seen: Conversation, test: string): Reply | undefined {
  const again = callsAfter(seen, last(seen, "edit")!).find(({ name }) => name === "exec");
  if (!again) return call("exec", { command: test }, "Do they pass now?");
  return /\(Command exited with code /.test(again.answer) ? say("The tests still fail.") : undefined;
}

/** Where the first test that fails is, in the words of Node's test runner. */
function failingTest(output: string): string | undefined {
  return /^test at (.+?):\d+:\d+$/m.exec(output)?.[1];
}

export function lastRead({ exchanges }: Conversation, file: string): Exchange | undefined {
  return exchanges.findLast(({ name, arguments: args }) => name === "read" && args["file_path"] === file);
}

function noteChange(seen: Conversation): Reply | undefined {
  if (last(seen, "write")) return undefined;
  const content =
    "# Changelog\n\n## Unreleased\n\n- Terms in months end with the month when it is shorter: one month after " +
    "31 August is 30 September.\n";
  return call("write", { file_path: CHANGELOG, content }, "Now the changelog.");
}

/** Tells the team, and then again: models do repeat themselves, and this one shows what happens then. */
function tellTeam(seen: Conversation): Reply | undefined {
  const told = seen.exchanges.filter(({ name }) => name === "notify");
  if (told.length >= 2) return undefined;
  const file = String(last(seen, "edit")!.arguments["file_path"]);
  const message = { channel: "team", text: `Due dates at the end of a month are right again (${file}).` };
  return call("notify", message, told.length === 0 ? "And the team should know." : "Did I tell the team?");
}

function conclude(seen: Conversation): Reply {
  const repeated = last(seen, "notify")!;
  const aside = repeated.failed ? " The second message was stopped, which is fine: they have the first." : "";
  return say(`Repaired, noted in ${CHANGELOG}, and the team knows.${aside}`);
}
