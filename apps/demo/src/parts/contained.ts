import { type ApprovalRequest, textOf } from "@haft/core";
import { hasGit, makeRepository } from "../contained/repository.ts";
import { type ContainedVisit, LEFT, visitView } from "../contained/visit-view.ts";
import { createDemoHost } from "../demo-host.ts";
import type { Check, NotContained } from "../report.ts";
import type { Screen } from "../screen/screen.ts";
import type { Part, WatchedSession } from "./part.ts";
import { watchSession } from "./watch-session.ts";

/** One line of policy: commands on this machine that nobody is asked about, and one question to leave. */
export const containedPart: Part = {
  name: "contained",
  title: "No questions inside, one question to leave: contained commands (main session)",
  needs: [],
  async run(stage, screen) {
    const { copy, report } = stage;
    const withGit = await hasGit();
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

/** What happens where nothing contains: policy knows, and asks. */
async function askInstead(
  screen: Screen,
  { session, outcomes }: WatchedSession,
  asked: readonly ApprovalRequest[],
  warnings: readonly string[],
): Promise<NotContained> {
  const missing = warnings[0] ?? "Nothing here contains commands, and nobody said why.";
  screen.prose(missing, 2, screen.paint.yellow);
  screen.prose("So the list of commands decides, as under careful, and who is asked says no.");
  await session.call({ name: "exec", arguments: { command: "pwd" } });
  await session.call({ name: "exec", arguments: { command: "node --version" } });
  return {
    missing,
    questions: asked.map(({ reason }) => reason),
    unlistedRan: outcomes[1]?.receipt !== "none",
  };
}

function verifyAsked({ questions, unlistedRan }: NotContained): Check {
  const [question = "nobody was asked"] = questions;
  return {
    what: "where nothing contains, it is asked",
    ok: questions.length === 1 && !unlistedRan,
    found: unlistedRan ? "a command that is on no list ran" : question,
  };
}

function verifyContained(visit: ContainedVisit): Check[] {
  const { steps, askedUnderCareful, questions, left, network, git } = visit;
  const checks = [
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
      ok: network.possible && !network.reached,
      found: `a server of this machine saw ${network.reached ? "somebody" : "nobody"}`,
    },
  ];
  return git === undefined ? checks : [...checks, ...verifyGit(git)];
}

function verifyGit({ worked, heldBack, toldSecret, user }: NonNullable<ContainedVisit["git"]>): Check[] {
  const { status, fsck, ranPlanted, plantable } = user;
  const clean = status === "" ? "git status is clean" : `git status says ${status}`;
  return [
    {
      what: "contained, git works",
      ok: worked && fsck && status === "",
      found: `${worked ? "the commit and its branch are there" : "something is missing"}, ${clean}, git fsck ${fsck ? "succeeds" : "fails"}`,
    },
    {
      what: "the user's git starts nothing planted",
      ok: heldBack !== undefined && !ranPlanted && plantable,
      found: `it started ${ranPlanted ? "it" : "nothing"}; set by a user, it is ${plantable ? "" : "not "}started`,
    },
    {
      what: "the password was not told",
      ok: !toldSecret,
      found: toldSecret ? "it is in a result" : "no result has it",
    },
  ];
}
