import { type ApprovalRequest, contentToText, type ToolOutcome } from "@haft/core";
import { execFile } from "node:child_process";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Check, check, openTrap, fixture, type ProjectCopy } from "../inspect.ts";
import { paint, type Screen } from "../screen.ts";
import { createDemoHost, watchSession, type Part, type Stage, type WatchedSession } from "../session.ts";

const LEFT = "release-notes.md";
const COMMIT = "docs: checked in spring";
/** A file hidden from commands; its word must not be in any result. */
const SECRET_FILE = ".netrc";
const TOKEN = "token-of-nobody-4711";
/** Planted code that the next `git status` starts, and its mark outside the repository. */
const MARK = "planted";
const PLANT = `touch ../${MARK}; false`;
/** A git hook may have started the demo in another repository. */
const ENV = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));

/** Inside commands by purpose. @param trap queries a local server */
const stepsOf = (trap: string) => ({
  "a line that no list of programs can judge":
    'for f in src/*.js; do node --check "$f" && echo "$f is fine"; done',
  "a branch that tracks, which changes settings of git":
    "git checkout -q -b spring origin/spring && git branch -vv",
  "a commit": `echo "- Checked." >> CHANGELOG.md && git add -A && git commit -q -m "${COMMIT}"`,
  "a hook, for the user's next commit": `echo "touch ../${MARK}" > .git/hooks/pre-commit`,
  "a program, for the user's next status": `git config core.fsmonitor '${PLANT}'`,
  "a file with a password, in the repository": `wc -c ${SECRET_FILE}; cat ${SECRET_FILE}`,
  "another machine": "git ls-remote https://git.example.com/due-dates.git",
  "a server of this machine": trap,
  "a file beside the repository, in the /tmp that is the view's own": `cp README.md ../${LEFT}; ls ..`,
});

/** One policy line: commands without approval, and one question to leave. */
export const containedPart: Part = {
  name: "contained",
  title: "No questions inside, one question to leave: contained commands (main session)",
  async run(stage, screen) {
    const { copy, report } = stage;
    await cp(fixture, copy.repository, { recursive: true });
    const questions: string[] = [];
    const warnings: string[] = [];
    const ask = async ({ reason, args, preview }: ApprovalRequest) => {
      questions.push(reason);
      if ((args as { outside?: unknown }).outside !== true) return "deny";
      screen.prose(contentToText(preview), 6, paint.dim);
      screen.prose("» Yes, this once.", 2, paint.cyan);
      return "allow-once";
    };
    const host = await createDemoHost(
      stage,
      { exec: { preset: "contained" } },
      {
        workspaceDir: copy.repository,
        approver: { ask },
        logger: { debug() {}, info() {}, error() {}, warn: (message) => void warnings.push(message) },
      },
    );
    screen.line("  The policy: exec: { preset: contained }");
    const hasGit = await makeRepository(copy);
    const watched = await watchSession(stage, "developer", screen, host);
    if (watched.session.facts.containment === undefined) {
      const unlistedRan = await askInstead(screen, watched, warnings[0]);
      report["contained"] = { questions, unlistedRan };
      return () => [verifyQuestions(questions, unlistedRan)];
    }
    if (!hasGit) screen.prose("There is no git on this machine, so this part is left out.");
    if (!hasGit) return undefined;
    const visit = { questions, ...(await visitView(stage, screen, watched)) };
    report["contained"] = visit;
    return () => verifyContained(visit);
  },
};

export type ContainedVisit = Awaited<ReturnType<typeof visitView>> & { questions: readonly string[] };

/** Runs contained commands, asks to leave once, and checks from outside. */
async function visitView(stage: Stage, { line, prose }: Screen, { session, outcomes }: WatchedSession) {
  const { copy } = stage;
  await using trap = await openTrap();
  const steps = Object.entries(stepsOf(trap.command));
  const askedUnderCareful = await countUnderCareful(stage, Object.values(stepsOf(trap.command)));
  for (const [about, command] of steps) {
    line(paint.dim(`  ${about}:`));
    const { content } = await session.call({ name: "exec", arguments: { command } });
    // Haft's notice comes before a command's output.
    for (const [, notice] of contentToText(content).matchAll(/^\[(.{100,})\]$/gm))
      prose(notice!, 6, paint.yellow);
  }
  const target = join(copy.root, LEFT);
  const [before, visitors] = [existsSync(target), trap.visitors()];
  line(paint.dim("  the same, and it asks to leave, so a person sees this:"));
  const reason = "the release notes lie beside the repository";
  const args = { command: `cp README.md ../${LEFT}`, outside: true, reason };
  await session.call({ name: "exec", arguments: args });
  return {
    /** Inside commands, and the number that `careful` would ask about. */
    inside: { steps: steps.length, askedUnderCareful },
    /** An outside file before and after an approved command. */
    left: { before, after: existsSync(target) },
    network: { possible: await trap.isReachable(), kept: visitors === 0 },
    git: await lookAtGit(copy, outcomes),
  };
}

async function countUnderCareful(stage: Stage, commands: readonly string[]): Promise<number> {
  const settings = { workspaceDir: stage.copy.repository };
  const host = await createDemoHost(stage, { exec: { preset: "careful" } }, settings);
  const preview = await host.preview({ kind: "main" });
  const explained = await Promise.all(commands.map((command) => preview.explain("exec", { command })));
  return explained.filter(({ verdict }) => verdict === "asks").length;
}

/** Without containment, the policy asks. Returns whether an unlisted command ran. */
async function askInstead({ prose }: Screen, { session }: WatchedSession, warning = "") {
  prose(warning, 2, paint.yellow);
  prose("So the list of commands decides, as under careful, and who is asked says no.");
  await session.call({ name: "exec", arguments: { command: "pwd" } });
  const unlisted = await session.call({ name: "exec", arguments: { command: "node --version" } });
  return unlisted.receipt !== "none";
}

/** The user's git outside the session; `undefined` on failure. */
function git(folder: string, ...args: string[]): Promise<string | undefined> {
  const all = ["-c", "protocol.file.allow=always", ...args];
  return promisify(execFile)("git", all, { cwd: folder, env: ENV }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

/** The user's repository with a remote, whose branch `spring` is only there. */
async function makeRepository({ root, repository }: ProjectCopy): Promise<boolean> {
  if ((await git(root, "init", "-q", "--bare", "remote.git")) === undefined) return false;
  for (const command of [
    "init -q",
    "config user.name Ada",
    "config user.email ada@example.com",
    "config commit.gpgsign false",
    "symbolic-ref HEAD refs/heads/main",
    "add -A",
    "commit -q --no-verify -m due-dates",
    "remote add origin ../remote.git",
    "push -q --no-verify origin HEAD:main HEAD:spring",
    "fetch -q",
  ])
    await git(repository, ...command.split(" "));
  const secret = join(repository, SECRET_FILE);
  writeFileSync(secret, `machine registry.example.com password ${TOKEN}\n`, { mode: 0o600 });
  appendFileSync(join(repository, ".git/info/exclude"), `${SECRET_FILE}\n`);
  return true;
}

/** Repeats the user's next git commands, and checks started programs. */
async function lookAtGit({ root, repository }: ProjectCopy, outcomes: readonly ToolOutcome[]) {
  const said = outcomes.map(({ content }) => contentToText(content));
  const upstream = await git(repository, "config", "branch.spring.remote");
  const subject = await git(repository, "log", "--format=%s", "-1");
  const status = await git(repository, "status", "--porcelain");
  const fsck = (await git(repository, "fsck")) !== undefined;
  const ranPlanted = existsSync(join(root, MARK));
  // Code planted in a user's clone must run, else this proves nothing.
  const clone = join(root, "clone-of-the-user", "clone");
  await git(root, "clone", "-q", repository, clone);
  await git(clone, "config", "core.fsmonitor", PLANT);
  await git(clone, "status", "--porcelain");
  return {
    worked: subject === COMMIT && upstream === "origin",
    heldBack: said.flatMap((text) => /^\[.*core\.fsmonitor.*\]$/m.exec(text)?.[0] ?? [])[0],
    toldSecret: said.some((text) => text.includes(TOKEN)),
    user: { status, fsck, ranPlanted, plantable: existsSync(join(root, "clone-of-the-user", MARK)) },
  };
}

export function verifyQuestions(questions: readonly string[], unlistedRan: boolean): Check {
  const ok = questions.length === 1 && !unlistedRan;
  return check("where nothing contains, it is asked", ok, { questions, unlistedRan });
}

export function verifyContained({ inside, questions, left, network, git: seen }: ContainedVisit): Check[] {
  const { worked, heldBack, toldSecret, user } = seen;
  const { status, fsck, ranPlanted, plantable } = user;
  const asked = { inside: 0, outside: questions.length, insideUnderCareful: inside.askedUnderCareful };
  const isOne = questions.length === 1 && inside.askedUnderCareful > 0;
  const startsNothing = heldBack !== undefined && !ranPlanted && plantable;
  return [
    check("one question, and that to leave", isOne, asked),
    check("nothing outside was written inside", !left.before && left.after, left),
    check("contained, no network was reached", network.possible && network.kept, network),
    check("contained, git works", worked && fsck && status === "", { worked, fsck, status }),
    check("the user's git starts nothing planted", startsNothing, { ranPlanted, plantable }),
    check("the password was not told", !toldSecret, { toldSecret }),
  ];
}
