import { getErrorMessage, contentToText, type ToolMeta } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import {
  type Check,
  check,
  differences,
  isPassed,
  isRefused,
  findProcesses,
  runProjectTests,
  takeSnapshot,
} from "../inspect.ts";
import { listCalls, runAgent, watchSession, type Part, type Report, type Stage } from "../session.ts";

const INSTRUCTIONS =
  "You repair small JavaScript projects. Read before you change anything, and say in one short sentence what you " +
  "are about to do. Run commands with exec, and kill what you started in the background when you are done with it.";

const TASK =
  "A test of this project fails. Run the tests as package.json says, find the cause, repair it in src, and run " +
  "them again. Leave the tests and package.json as they are. Then start the server in the background, find its " +
  "address with process poll, ask it for a date that was wrong, and kill it. At last write CHANGELOG.md with " +
  'one line about the repair, and tell the channel "team" with notify, once. Paths are relative to the project.';

/** The demo's query uses another month than the agent's. */
const QUESTION = "/?date=2028-01-31&terms=1+month";
const RIGHT_ANSWER = "2028-02-29";
const PATIENCE_MS = 30_000;

/** An agent loop over a `main` session. */
export const repairPart: Part = {
  name: "repair",
  title: "An agent repairs the project (main session)",
  async run(stage, screen) {
    const { copy, model, signal, report } = stage;
    const before = await runProjectTests(copy.project, signal);
    report.tests = { before };
    screen.line(`  The project's own tests: ${before.passed} pass, ${before.failed} fail.`);
    const { session } = await watchSession(stage, "owner", screen);
    const seenServer = watchForServer(session, copy.root);
    await runAgent(stage, screen, { model: model.owner, session, instructions: INSTRUCTIONS, prompt: TASK });
    const server = await seenServer();
    if (server) report.server = server;
    // The demo repeats a message that the model did not repeat.
    const [sent, again] = listCalls(stage, "owner", "notify").filter(isSentOrStopped);
    if (sent !== undefined && again === undefined) {
      screen.prose("(The model did not repeat itself, so the demo does.)");
      await session.call({ name: "notify", arguments: sent.args });
    }
    return () => verifyRepair(stage);
  },
};

const isSentOrStopped = ({ status, code }: ToolMeta) => status === "completed" || code === "DUPLICATE_CALL";

/** Queries the first printed server address, unnoticed by the agent. */
function watchForServer(session: Session, folder: string) {
  let seen: Promise<NonNullable<Report["server"]>> | undefined;
  const meet = async (port: number) => {
    const processes = findProcesses(folder);
    const url = `http://127.0.0.1:${port}${QUESTION}`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
      .then(async (response) => (await response.text()).trim())
      .catch((thrown: unknown) => `no answer: ${getErrorMessage(thrown)}`);
    return { port, answer, processes };
  };
  session.subscribe((event) => {
    if (seen || event.type !== "tool-end" || !["exec", "process"].includes(event.toolName)) return;
    const port = /\bhttp:\/\/127\.0\.0\.1:(\d+)/.exec(contentToText(event.outcome.content))?.[1];
    if (port !== undefined) seen = meet(Number(port));
  });
  return async () => seen;
}

/** The open session did not end these processes. */
async function verifyRepair(stage: Stage): Promise<Check[]> {
  const { copy, report, signal, original } = stage;
  const { before } = report.tests!;
  const after = (report.tests!.after = await runProjectTests(copy.project, signal));
  const { port = 0, answer = "no command printed an address" } = report.server ?? {};
  const isKill = ({ args, status }: ToolMeta) =>
    /"action":"(?:kill|remove)"/.test(JSON.stringify(args)) && status === "completed";
  const kills = listCalls(stage, "owner", "process").filter(isKill).length;
  const refused = port > 0 && (await isRefused(port));
  const changes = differences(original, await takeSnapshot(copy.project));
  const expected = changes.every((change) => /^(?:src\/|CHANGELOG\.md )/.test(change));
  const repaired = changes.some((change) => change.startsWith("src/"));
  const all = listCalls(stage, "owner", "notify");
  const isStopped = ({ code, receipt }: ToolMeta) => code === "DUPLICATE_CALL" && receipt === "none";
  const [calls, stopped, delivered] = [all.length, all.filter(isStopped).length, copy.delivered()];
  const isOnce = delivered === 1 && calls > 1 && stopped === calls - 1;
  return [
    check("the project's tests failed before", before.exitCode === 1 && before.failed > 0, before),
    check("the same tests pass now", isPassed(after) && after.passed === before.tests, after),
    check("the server answered the demo", answer === RIGHT_ANSWER, { answer, port }),
    check("the agent ended the server", refused && kills > 0, { kills, refused }),
    check("only src and CHANGELOG.md changed", expected && repaired, changes.join(", ")),
    check("the message went out once", isOnce, { calls, stopped, delivered }),
  ];
}
