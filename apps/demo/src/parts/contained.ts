import { type ApprovalRequest, textOf, type ToolOutcome } from "@haft/core";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createDemoHost } from "../demo-host.ts";
import { git, lookAsUser, makeRepository, PLANT, SECRET_FILE, succeeds, TOKEN } from "../look/repository.ts";
import { openTrap } from "../look/servers.ts";
import type { ProjectCopy } from "../project-copy.ts";
import type { Screen } from "../screen/screen.ts";
import { watchSession } from "../session.ts";
import type { Check, ContainedVisit, NotContained, Part, Stage, WatchedSession } from "../stage.ts";

const LEFT = "release-notes.md";
const COMMIT = "docs: checked in spring";

/** Commands that stay inside, with why they are there. @param trap asks a server of this machine */
const stepsOf = (trap: string, withGit: boolean): (readonly [about: string, command: string])[] => [
  [
    "a line that no list of programs can judge",
    'for f in src/*.js; do node --check "$f" && echo "$f is fine"; done',
  ],
  ...(withGit ? GIT_STEPS : []),
  ["a server of this machine", trap],
  ["a file beside the repository, in the /tmp that is the view's own", `cp README.md ../${LEFT}; ls ..`],
];

const GIT_STEPS = [
  [
    "a branch that tracks, which changes settings of git",
    "git checkout -q -b spring origin/spring && git branch -vv",
  ],
  [
    "a commit",
    `echo "- Checked." >> CHANGELOG.md && git add -A && git commit -q -m "${COMMIT}" && git log --format=%s -1`,
  ],
  ["a hook, for the user's next commit", 'echo "touch ../planted" > .git/hooks/pre-commit'],
  ["a program, for the user's next status", `git config core.fsmonitor '${PLANT}'`],
  ["a file with a password, in the repository", `wc -c ${SECRET_FILE}; cat ${SECRET_FILE}`],
  ["another machine", "git ls-remote https://git.example.com/due-dates.git"],
] as const;

/** One line of policy: commands on this machine that nobody is asked about, and one question to leave. */
export const containedPart: Part = {
  name: "contained",
  title: "No questions inside, one question to leave: contained commands (main session)",
  needs: [],
  async run(stage, screen) {
    const { copy, report } = stage;
    const withGit = await succeeds(copy.root, "--version");
    await makeRepository(copy, withGit);
    const asked: ApprovalRequest[] = [];
    const warnings: string[] = [];
    const host = await createDemoHost(
      copy,
      { exec: { preset: "contained" } },
      {
        workspaceDir: copy.repository,
        approver: { ask: async (request) => answer(request, asked, screen) },
        logger: { debug() {}, info() {}, error() {}, warn: (message) => void warnings.push(message) },
      },
    );
    screen.line("  The policy: exec: { preset: contained }");
    try {
      const watched = await watchSession(stage, "developer", screen, host);
      report.contained =
        watched.session.facts.containment === undefined
          ? await askInstead(screen, watched, asked, warnings)
          : await visitView(stage, screen, watched, asked, withGit);
    } finally {
      await host.close();
    }
  },
  async verify({ report: { contained } }) {
    if (contained === undefined) return [];
    return "missing" in contained ? [verifyAsked(contained)] : verifyContained(contained);
  },
};

/** A person who lets commands leave, and agrees to nothing else. */
async function answer(request: ApprovalRequest, asked: ApprovalRequest[], screen: Screen) {
  asked.push(request);
  if ((request.args as { outside?: unknown }).outside !== true) return "deny";
  screen.prose(textOf(request.preview), 6, screen.paint.dim);
  screen.prose("» Yes, this once.", 2, screen.paint.cyan);
  return "allow-once";
}

/** Runs commands in a session that is contained, asks to leave once, and looks from outside. */
async function visitView(
  { copy }: Stage,
  { line, prose, paint }: Screen,
  { session, outcomes }: WatchedSession,
  asked: readonly ApprovalRequest[],
  withGit: boolean,
): Promise<ContainedVisit> {
  if (!withGit) prose("There is no git on this machine, so what it does is left out.");
  await using trap = await openTrap();
  const steps = stepsOf(trap.command, withGit);
  const askedUnderCareful = await countUnderCareful(
    copy,
    steps.map(([, command]) => command),
  );
  for (const [about, command] of steps) {
    line(paint.dim(`  ${about}:`));
    const { content } = await session.call({ name: "exec", arguments: { command } });
    // What Haft says about a command, in front of what it printed.
    for (const [, notice] of textOf(content).matchAll(/^\[(.{100,})\]$/gm)) prose(notice!, 6, paint.yellow);
  }
  const target = join(copy.root, LEFT);
  const [before, visitors] = [existsSync(target), trap.visitors()];
  line(paint.dim("  the same, and it asks to leave, so a person sees this:"));
  const reason = "the release notes lie beside the repository";
  const args = { command: `cp README.md ../${LEFT}`, outside: true, reason };
  await session.call({ name: "exec", arguments: args });
  return {
    steps: steps.length,
    askedUnderCareful,
    questions: asked.map((request) => request.reason),
    left: { before, after: existsSync(target) },
    network: { possible: await trap.isReachable(), kept: visitors === 0 },
    ...(withGit && { git: await lookAtGit(copy, outcomes) }),
  };
}

/** Nothing runs: only the policy is another one. */
async function countUnderCareful(copy: ProjectCopy, commands: readonly string[]): Promise<number> {
  const host = await createDemoHost(copy, { exec: { preset: "careful" } }, { workspaceDir: copy.repository });
  try {
    const preview = await host.preview({ kind: "main" });
    const explained = await Promise.all(commands.map((command) => preview.explain("exec", { command })));
    return explained.filter(({ verdict }) => verdict === "asks").length;
  } finally {
    await host.close();
  }
}

async function lookAtGit(
  copy: ProjectCopy,
  outcomes: readonly ToolOutcome[],
): Promise<NonNullable<ContainedVisit["git"]>> {
  const user = await lookAsUser(copy);
  const subject = await git(copy.repository, "log", "--format=%s", "-1");
  const upstream = await git(copy.repository, "config", "branch.spring.remote").catch(() => "");
  const said = outcomes.map(({ content }) => textOf(content));
  return {
    worked: subject.trim() === COMMIT && upstream.trim() === "origin",
    heldBack: said.flatMap((text) => /^\[.*core\.fsmonitor.*\]$/m.exec(text)?.[0] ?? [])[0],
    toldSecret: said.some((text) => text.includes(TOKEN)),
    user,
  };
}

/** What happens where nothing contains: policy knows, and asks. */
async function askInstead(
  { prose, paint }: Screen,
  { session, outcomes }: WatchedSession,
  asked: readonly ApprovalRequest[],
  warnings: readonly string[],
): Promise<NotContained> {
  const missing = warnings[0] ?? "Nothing here contains commands, and nobody said why.";
  prose(missing, 2, paint.yellow);
  prose("So the list of commands decides, as under careful, and who is asked says no.");
  for (const command of ["pwd", "node --version"])
    await session.call({ name: "exec", arguments: { command } });
  const questions = asked.map(({ reason }) => reason);
  return { missing, questions, unlistedRan: outcomes[1]?.receipt !== "none" };
}

function verifyAsked({ questions, unlistedRan }: NotContained): Check {
  const [question = "nobody was asked"] = questions;
  return {
    what: "where nothing contains, it is asked",
    ok: questions.length === 1 && !unlistedRan,
    found: unlistedRan ? "a command that is on no list ran" : question,
  };
}

function verifyContained({ steps, askedUnderCareful, questions, left, network, git: visit }: ContainedVisit) {
  const checks: Check[] = [
    {
      what: "one question, and that to leave",
      ok: questions.length === 1 && askedUnderCareful > 0,
      found: `${questions.length} in all; ${steps} commands inside, careful asks about ${askedUnderCareful} of them`,
    },
    {
      what: "nothing outside was written inside",
      ok: !left.before && left.after,
      found: `${LEFT} was ${left.before ? "" : "not "}there before one left, and ${left.after ? "is" : "is not"} now`,
    },
    {
      what: "contained, no network was reached",
      ok: network.possible && network.kept,
      found: `a server of this machine saw ${network.kept ? "nobody" : "somebody"}`,
    },
  ];
  if (visit === undefined) return checks;
  const { worked, heldBack, toldSecret, user } = visit;
  const clean = user.status === "" ? "git status is clean" : `git status says ${user.status}`;
  const commit = worked ? "the commit and its branch are there" : "something is missing";
  return [
    ...checks,
    {
      what: "contained, git works",
      ok: worked && user.fsck && user.status === "",
      found: `${commit}, ${clean}, git fsck ${user.fsck ? "succeeds" : "fails"}`,
    },
    {
      what: "the user's git starts nothing planted",
      ok: heldBack !== undefined && !user.ranPlanted && user.plantable,
      found: `it started ${user.ranPlanted ? "it" : "nothing"}; set by a user, it is ${user.plantable ? "" : "not "}started`,
    },
    {
      what: "the password was not told",
      ok: !toldSecret,
      found: toldSecret ? "it is in a result" : "no result has it",
    },
  ];
}
