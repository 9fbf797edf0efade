import { messageOf, textOf } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { processesIn } from "../look/processes-in.ts";
import { isPassed, runProjectTests } from "../look/project-tests.ts";
import { isRefused } from "../look/servers.ts";
import { describeDifference, differences, takeSnapshot } from "../look/snapshot.ts";
import { runAgent, watchSession } from "../session.ts";
import type { Check, Part, Report, Stage, WatchedSession } from "../stage.ts";

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
  needs: [],
  async run(stage, screen) {
    const { copy, model, signal, report } = stage;
    const before = await runProjectTests(copy.project, signal);
    report.tests = { before };
    const fails = `${before.failed} fail${before.failed === 1 ? "s" : ""}`;
    screen.line(`  The project's own tests: ${before.passed} pass, ${fails}.`);
    const watched = await watchSession(stage, "owner", screen);
    const { session } = watched;
    const seenServer = watchForServer(session, copy.root, (answer) =>
      screen.prose(`(The demo asked it, too: ${answer}.)`, 6, screen.paint.dim),
    );
    await runAgent(stage, screen, { model: model.owner, session, instructions: INSTRUCTIONS, prompt: TASK });
    const server = await seenServer();
    if (server) report.server = server;
    if (await repeatMessage(watched)) screen.prose("(The model did not repeat itself, so the demo did.)");
  },
  async verify(stage) {
    return [
      ...(await verifyTests(stage)),
      ...(await verifyServer(stage)),
      await verifyFiles(stage),
      verifyMessage(stage),
    ];
  },
};

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

/** Models repeat themselves now and then. One that did not gets help, so that it can be seen what happens. */
async function repeatMessage({ session, outcomes }: WatchedSession): Promise<boolean> {
  if (outcomes.some((outcome) => outcome.kind === "blocked" && outcome.code === "DUPLICATE_CALL"))
    return false;
  const sent = session
    .ledger()
    .find(({ toolName, status }) => toolName === "notify" && status === "completed");
  if (sent !== undefined) await session.call({ name: "notify", arguments: sent.args });
  return sent !== undefined;
}

async function verifyTests({ copy, report, signal }: Stage): Promise<Check[]> {
  const { before } = report.tests!;
  const after = await runProjectTests(copy.project, signal);
  report.tests!.after = after;
  return [
    {
      what: "the project's tests failed before",
      ok: before.exitCode === 1 && before.failed > 0,
      found: `${before.passed} of ${before.tests} passed, exit code ${before.exitCode}`,
    },
    {
      what: "the same tests pass now",
      ok: isPassed(after) && after.passed === before.tests,
      found: `${after.passed} of ${after.tests} passed, exit code ${after.exitCode}`,
    },
  ];
}

/** The session is still open: what has ended by now was not ended by its close. */
async function verifyServer({ report: { server }, sessions }: Stage): Promise<Check[]> {
  const kills = sessions
    .get("owner")!
    .session.ledger()
    .filter(({ toolName, args, status }) => {
      const { action } = (args ?? {}) as { action?: unknown };
      return toolName === "process" && (action === "kill" || action === "remove") && status === "completed";
    });
  const refused = server !== undefined && (await isRefused(server.port));
  const state = `port ${server?.port} ${refused ? "refuses" : "accepts"} connections`;
  return [
    {
      what: "the server answered the demo",
      ok: server?.answer === RIGHT_ANSWER,
      found: server ? `${server.answer}, from port ${server.port}` : "no command printed an address",
    },
    {
      what: "the agent ended the server",
      ok: refused && kills.length > 0,
      found: server ? `process kill: ${kills.length}; ${state}` : "there was none",
    },
  ];
}

async function verifyFiles({ copy, original }: Stage): Promise<Check> {
  const changes = differences(original, await takeSnapshot(copy.project));
  const expected = changes.every(({ path }) => path.startsWith("src/") || path === "CHANGELOG.md");
  return {
    what: "only src and CHANGELOG.md changed",
    ok: expected && changes.some(({ path }) => path.startsWith("src/")),
    found: changes.map(describeDifference).join(", ") || "nothing changed",
  };
}

function verifyMessage({ copy, sessions }: Stage): Check {
  const ledger = sessions.get("owner")!.session.ledger();
  const calls = ledger.filter(({ toolName }) => toolName === "notify");
  const stopped = calls.filter(({ code, receipt }) => code === "DUPLICATE_CALL" && receipt === "none");
  const delivered = copy.delivered();
  return {
    what: "the message went out once",
    ok: delivered === 1 && calls.length > 1 && stopped.length === calls.length - 1,
    found: `${calls.length} calls, ${stopped.length} stopped, ${delivered} in outbox.jsonl`,
  };
}
