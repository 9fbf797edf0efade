// A coding session of sixty commands on a small real project: which of them a person is asked about under `careful`, with
// every program in it listed, and under `contained`; and the user's own git at the end. Nothing is written to the repository.
import { createHost, type HostOptions } from "haft";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CODING_SESSION,
  git,
  makeProject,
  type Project,
} from "../packages/haft/test/contained/coding-session.ts";

interface Answer {
  exitCode: number | undefined;
  asked: boolean;
  said: string;
  ms: number;
}

/** Every program of the session by its name, so that only what cannot be read for certain is asked about. */
const LISTED =
  "ls cat git grep head find xargs wc npm tail make node printf sed for mkdir touch rm curl sleep mktemp echo diff tar set"
    .split(" ")
    .map((name) => `${name}*`);

const PRESETS: Record<string, NonNullable<HostOptions["policy"]>> = {
  careful: { exec: { preset: "careful", allow: LISTED } },
  contained: { exec: { preset: "contained" } },
};

async function runSession(
  policy: NonNullable<HostOptions["policy"]>,
): Promise<{ answers: Answer[]; end: string }> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-coding-")));
  try {
    const project = makeProject(join(folder, "work"));
    const answers = await inHost(project, join(folder, "state"), policy);
    return { answers, end: judged(project) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inHost(
  { root, upstream }: Project,
  stateDir: string,
  policy: NonNullable<HostOptions["policy"]>,
): Promise<Answer[]> {
  let asked = false;
  const host = await createHost({
    workspaceDir: root,
    roots: { upstream: { path: upstream, access: "rw" } },
    stateDir,
    policy,
    administratorPolicy: false,
    approver: {
      ask: async () => {
        asked = true;
        return { decision: "allow-once" };
      },
    },
  });
  try {
    const session = await host.openSession();
    const answers: Answer[] = [];
    for (const [at, { command, background }] of CODING_SESSION.entries()) {
      asked = false;
      const begin = performance.now();
      const call = {
        id: `c${at}`,
        name: "exec",
        arguments: { command, ...(background ? { background } : {}) },
      };
      const outcome = await session.call(call);
      const details = "details" in outcome ? (outcome.details as { exitCode?: number }) : undefined;
      const said = JSON.stringify("content" in outcome ? outcome.content : outcome);
      answers.push({ exitCode: details?.exitCode, asked, said, ms: Math.round(performance.now() - begin) });
    }
    return answers;
  } finally {
    await host.close();
  }
}

/** What the user's own git says afterwards. */
function judged({ root }: Project): string {
  return [
    `git status --short: ${git(root, "status", "--short").trim() || "clean"}`,
    `git fsck: ${git(root, "fsck", "--no-dangling").trim() || "clean"}`,
    `git worktree list: ${git(root, "worktree", "list").trim().split("\n").length} worktree`,
  ].join("\n");
}

const only = process.argv.includes("--contained");
const before = only ? undefined : await runSession(PRESETS["careful"]!);
const after = await runSession(PRESETS["contained"]!);
console.log("command | careful | contained\n--- | --- | ---");
for (const [at, { command }] of CODING_SESSION.entries()) {
  const told = ({ asked, exitCode }: Answer) => `${asked ? "asked" : ""} ${exitCode ?? "running"}`.trim();
  const shown = command.replaceAll("\n", " ⏎ ").replaceAll("|", "\\|").slice(0, 90);
  console.log(
    `\`${shown}\` | ${before === undefined ? "" : told(before.answers[at]!)} | ${told(after.answers[at]!)}`,
  );
  if (process.argv.includes("--verbose")) console.log(after.answers[at]!.said);
}
const questions = (answers: Answer[]) => answers.filter(({ asked }) => asked).length;
console.log(
  `\n${CODING_SESSION.length} commands; asked about: ${before === undefined ? "?" : questions(before.answers)} under careful with every program listed, ` +
    `${questions(after.answers)} contained\n\nAt the end, contained:\n${after.end}`,
);
