import { createHost } from "haft";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OURS, type Case, type Subject, type Suite } from "../suite.ts";

/** Calls of models are further apart, so checks after an answer end earlier. */
const PAUSE_MS = 20;
/** One call each, so that both alternate by call. */
const ROUNDS = 200;
const FIRST_ROUNDS = 15;

/** `exec` in a session: contained, or on the host with the same policy. */
async function opened(
  contained: boolean,
  fixtures: string,
): Promise<{ run: (command: string) => Promise<void>; close: () => Promise<void> }> {
  const stateDir = mkdtempSync(join(fixtures, "state-"));
  const host = await createHost({
    workspaceDir: join(fixtures, "project"),
    stateDir,
    loopGuard: false,
    administratorPolicy: false,
    policy: { exec: contained ? { preset: "contained" } : { security: "full" } },
  });
  const session = await host.openSession();
  const { contained: isContained, reason } = await host.containment();
  if (isContained !== contained) throw new Error(reason);
  let calls = 0;
  return {
    /** From call to answer; texts are unique. */
    async run(command) {
      const outcome = await session.call({
        name: "exec",
        arguments: { command: `${command} # ${++calls}`, yieldMs: 120_000 },
      });
      if (outcome.kind !== "ok" || outcome.details["exitCode"] !== 0)
        throw new Error(JSON.stringify(outcome));
    },
    async close() {
      await host.close();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

type Start = (contained: boolean) => (fixtures: string) => Promise<Subject>;

const both = (start: Start): Case["subjects"] => ({ [OURS]: start(false), contained: start(true) });

const oneCommand = (command: string): Case => ({
  name: `run ${command}`,
  about: `A pause of ${PAUSE_MS} ms before each. Haft: on the host.`,
  rounds: ROUNDS,
  subjects: both((contained) => async (fixtures) => {
    const { run, close } = await opened(contained, fixtures);
    return { runs: 1, before: () => sleep(PAUSE_MS), run: () => run(command), close };
  }),
});

export const suite: Suite = {
  name: "contained",
  title: "Contained commands",
  prepare(fixtures) {
    const root = join(fixtures, "project");
    mkdirSync(join(root, "src"), { recursive: true });
    for (let i = 0; i < 40; i++)
      writeFileSync(join(root, "src", `part-${i}.js`), `export const part = ${i};\n`);
    const user = ["-c", "user.name=A Person", "-c", "user.email=person@example.com"];
    for (const args of [
      ["init", "-q"],
      ["add", "."],
      ["commit", "-qm", "first"],
    ])
      execFileSync("git", [...user, ...args], { cwd: root });
  },
  cases: [
    ...[":", "git status --short", "node -e 0", "seq -f 'line %g' 200"].map(oneCommand),
    {
      name: "run :, without a pause",
      about: "Checks after an answer count for the next call. Haft: on the host.",
      subjects: both((contained) => async (fixtures) => {
        const { run, close } = await opened(contained, fixtures);
        return { runs: 20, run: () => run(":"), close };
      }),
    },
    {
      name: "the first command of a session",
      about: "Haft: on the host.",
      fresh: true,
      rounds: FIRST_ROUNDS,
      metrics: [
        { key: "first", label: "call to answer", unit: "time" },
        { key: "open", label: "opening the session before it", unit: "time" },
      ],
      subjects: both((contained) => async (fixtures) => ({
        async sample() {
          const begin = performance.now();
          const { run, close } = await opened(contained, fixtures);
          const isOpen = performance.now();
          await run(":");
          const answered = performance.now();
          await close();
          return { open: (isOpen - begin) * 1e6, first: (answered - isOpen) * 1e6 };
        },
      })),
    },
  ],
};
