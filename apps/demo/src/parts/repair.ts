import { messageOf, textOf, type ToolMeta } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import {
  type Check,
  check,
  differences,
  isPassed,
  isRefused,
  processesIn,
  runProjectTests,
  takeSnapshot,
} from "../look.ts";
import { paint } from "../screen.ts";
import { callsOf, runAgent, watchSession } from "../session.ts";
import type { Part, Report, Stage } from "../stage.ts";

const INSTRUCTIONS =
  "You repair small JavaScript projects with the tools you have. Read before you change anything, change as " +
  "little as possible, and say in one short sentence what you are about to do. Run commands with exec, and " +
  "kill what you started in the background as soon as you are done with it.";

const TASK =
  "A test of this project fails. Run the tests as package.json says, find the cause, repair it in src, and run " +
  "them again. Leave the tests and package.json as they are. Then start the server in the background, find its " +
  "address with process poll, ask it for a date that was wrong, and kill it. At last write CHANGELOG.md with " +
  'one line about the repair, and tell the channel "team" with notify, once. Paths are relative to the project.';

/** A question of the demo's own, about another month than the agent's. */
const QUESTION = "/?date=2028-01-31&terms=1+month";
const RIGHT_ANSWER = "2028-02-29";
const PATIENCE_MS = 2_000;

/** An agent loop over a `main` session: the main job of Haft. */
export const repairPart: Part = {
  name: "repair",
  title: "An agent repairs the project (main session)",
  async run(stage, screen) {
    const { copy, model, signal, report } = stage;
    const before = await runProjectTests(copy.project, signal);
    report.tests = { before };
    screen.line(`  The project's own tests: ${before.passed} pass, ${before.failed} fail.`);
    const { session } = await watchSession(stage, "owner", screen);
    const seenServer = watchForServer(session, copy.root, (answer) =>
      screen.prose(`(The demo asked it, too: ${answer}.)`, 6, paint.dim),
    );
    await runAgent(stage, screen, { model: model.owner, session, instructions: INSTRUCTIONS, prompt: TASK });
    const server = await seenServer();
    if (server) report.server = server;
    // Models repeat themselves now and then. One that did not gets help, so that it can be seen what happens.
    const [sent, again] = callsOf(stage, "owner", "notify").filter(isSentOrStopped);
    if (sent !== undefined && again === undefined) {
      screen.prose("(The model did not repeat itself, so the demo does.)");
      await session.call({ name: "notify", arguments: sent.args });
    }
    return async () => [
      ...(await verifyTests(stage)),
      ...(await verifyServer(stage)),
      await verifyFiles(stage),
      verifyMessage(stage),
    ];
  },
};

const isSentOrStopped = ({ status, code }: ToolMeta) => status === "completed" || code === "DUPLICATE_CALL";

/** Asks the first server whose address a command prints, at once and behind the agent's back. */
function watchForServer(session: Session, folder: string, onAnswer: (answer: string) => void) {
  let seen: Promise<NonNullable<Report["server"]>> | undefined;
  const meet = async (port: number) => {
    const processes = processesIn(folder);
    const url = `http://127.0.0.1:${port}${QUESTION}`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
      .then(async (response) => (await response.text()).trim())
      .catch((thrown: unknown) => `no answer: ${messageOf(thrown)}`);
    onAnswer(answer);
    return { port, answer, processes };
  };
  session.subscribe((event) => {
    if (seen || event.type !== "tool-end" || !["exec", "process"].includes(event.toolName)) return;
    const port = /\bhttp:\/\/127\.0\.0\.1:(\d+)/.exec(textOf(event.outcome.content))?.[1];
    if (port !== undefined) seen = meet(Number(port));
  });
  return async () => seen;
}

async function verifyTests({ copy, report, signal }: Stage): Promise<Check[]> {
  const { before } = report.tests!;
  const after = await runProjectTests(copy.project, signal);
  report.tests!.after = after;
  const found = ({ passed, tests, exitCode }: typeof after) =>
    `${passed} of ${tests} passed, exit code ${exitCode}`;
  return [
    check("the project's tests failed before", before.exitCode === 1 && before.failed > 0, found(before)),
    check("the same tests pass now", isPassed(after) && after.passed === before.tests, found(after)),
  ];
}

/** The session is still open: what has ended by now was not ended by its close. */
async function verifyServer(stage: Stage): Promise<Check[]> {
  const { server } = stage.report;
  const kills = callsOf(stage, "owner", "process").filter(({ args, status }) => {
    const { action } = (args ?? {}) as { action?: unknown };
    return (action === "kill" || action === "remove") && status === "completed";
  });
  const refused = server !== undefined && (await isRefused(server.port));
  const answer = server ? `${server.answer}, from port ${server.port}` : "no command printed an address";
  const state = `port ${server?.port} ${refused ? "refuses" : "accepts"} connections`;
  const end = server ? `process kill: ${kills.length}; ${state}` : "there was none";
  return [
    check("the server answered the demo", server?.answer === RIGHT_ANSWER, answer),
    check("the agent ended the server", refused && kills.length > 0, end),
  ];
}

async function verifyFiles({ copy, original }: Stage): Promise<Check> {
  const changes = differences(original, await takeSnapshot(copy.project));
  const ok = changes.every((change) => /^(?:src\/|CHANGELOG\.md )/.test(change));
  const repaired = changes.some((change) => change.startsWith("src/"));
  return check("only src and CHANGELOG.md changed", ok && repaired, changes.join(", ") || "nothing changed");
}

function verifyMessage(stage: Stage): Check {
  const calls = callsOf(stage, "owner", "notify");
  const stopped = calls.filter(({ code, receipt }) => code === "DUPLICATE_CALL" && receipt === "none");
  const delivered = stage.copy.delivered();
  return check(
    "the message went out once",
    delivered === 1 && calls.length > 1 && stopped.length === calls.length - 1,
    `${calls.length} calls, ${stopped.length} stopped, ${delivered} in outbox.jsonl`,
  );
}
