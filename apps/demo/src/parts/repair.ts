import { relative } from "node:path";
import { runAgent } from "../agent.ts";
import { runProjectTests } from "../project-tests.ts";
import type { Check } from "../report.ts";
import { isRefused, RIGHT_ANSWER, watchForServer } from "../server-watch.ts";
import { describeDifference, differences, takeSnapshot } from "../snapshot.ts";
import type { Part, Stage, WatchedSession } from "./part.ts";
import { watchSession } from "./watch-session.ts";

const INSTRUCTIONS =
  "You repair small JavaScript projects with the tools you have. Read before you change anything, change as " +
  "little as possible, and say in one short sentence what you are about to do. Run commands with exec, and " +
  "kill what you started in the background as soon as you are done with it.";

const TASK =
  "A test of this project fails. Run the tests as package.json says, find the cause, repair it in src, and run " +
  "them again. Leave the tests and package.json as they are. Then start the server in the background, find its " +
  "address with process poll, ask it for a date that was wrong, and kill it. At last write CHANGELOG.md with " +
  'one line about the repair, and tell the channel "team" with notify, once. Paths are relative to the project.';

/** An agent loop over a `main` session: the main job of Haft. */
export const repairPart: Part = {
  name: "repair",
  title: "An agent repairs the project (main session)",
  needs: [],
  async run(stage, screen) {
    const { copy, model, signal, report } = stage;
    const before = await runProjectTests(copy.project, signal);
    report.tests = { before };
    screen.line(
      `  The project's own tests: ${before.passed} pass, ${before.failed} fail${before.failed === 1 ? "s" : ""}.`,
    );
    const watched = await watchSession(stage, "owner", screen);
    const seenServer = watchForServer(watched.session, copy.root, ({ answer }) =>
      screen.prose(`(The demo asked it, too: ${answer}.)`, 6, screen.paint.dim),
    );
    await runAgent({
      model: model.owner,
      session: watched.session,
      instructions: INSTRUCTIONS,
      prompt: TASK,
      signal,
      onText: (said) => screen.prose(`» ${said}`, 2, screen.paint.cyan),
    });
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

/** Models repeat themselves now and then. One that did not gets help, so that it can be seen what happens. */
async function repeatMessage({ session, outcomes }: WatchedSession): Promise<boolean> {
  if (outcomes.some((outcome) => outcome.kind === "blocked" && outcome.code === "DUPLICATE_CALL"))
    return false;
  const sent = session
    .ledger()
    .find(({ toolName, status }) => toolName === "notify" && status === "completed");
  if (!sent) return false;
  await session.call({ name: "notify", arguments: sent.args });
  return true;
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
      ok: after.exitCode === 0 && after.failed === 0 && after.passed === before.tests,
      found: `${after.passed} of ${after.tests} passed, exit code ${after.exitCode}`,
    },
  ];
}

/** The session is still open: what has ended by now was not ended by its close. */
async function verifyServer({ report: { server }, sessions }: Stage): Promise<Check[]> {
  const ledger = sessions.get("owner")!.session.ledger();
  const kills = ledger.filter(({ toolName, args, status }) => {
    const { action } = (args ?? {}) as { action?: unknown };
    return toolName === "process" && (action === "kill" || action === "remove") && status === "completed";
  });
  const refused = server !== undefined && (await isRefused(server.port));
  return [
    {
      what: "the server answered the demo",
      ok: server?.answer === RIGHT_ANSWER,
      found: server ? `${server.answer}, from port ${server.port}` : "no command printed an address",
    },
    {
      what: "the agent ended the server",
      ok: refused && kills.length > 0,
      found: server
        ? `process kill: ${kills.length}; port ${server.port} ${refused ? "refuses" : "accepts"} connections`
        : "there was none",
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
  const calls = sessions
    .get("owner")!
    .session.ledger()
    .filter(({ toolName }) => toolName === "notify");
  const stopped = calls.filter(({ code, receipt }) => code === "DUPLICATE_CALL" && receipt === "none");
  const delivered = copy.delivered();
  return {
    what: "the message went out once",
    ok: delivered.length === 1 && calls.length > 1 && stopped.length === calls.length - 1,
    found: `${calls.length} calls, ${stopped.length} stopped, ${delivered.length} in ${relative(copy.root, copy.outbox)}`,
  };
}
