import { type ApprovalRequest, textOf, type ToolOutcome } from "@haft/core";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createDemoHost } from "../demo-host.ts";
import type { Stage, WatchedSession } from "../parts/part.ts";
import type { ProjectCopy } from "../project-copy.ts";
import type { Screen } from "../screen/screen.ts";
import { git, lookAsUser, PLANT, SECRET_FILE, TOKEN, type UsersLook } from "./repository.ts";

/** What contained commands did. */
export interface ContainedVisit {
  /** Commands that stay in the view, and how many of them `careful` asks about. */
  steps: number;
  askedUnderCareful: number;
  /** Reasons of the questions that a person was asked. */
  questions: string[];
  /** A file beside the repository: before somebody let a command leave, and after. */
  left: { before: boolean; after: boolean };
  /** A server of this machine, on an address every process of it can reach. */
  network: { possible: boolean; reached: boolean };
  /** Where git is there. */
  git?: GitVisit;
}

interface GitVisit {
  /** The commit is in the repository, and the branch tracks, as the user's git sees it. */
  worked: boolean;
  /** The line of an answer that said what of git's settings was held back. */
  heldBack: string | undefined;
  /** What the hidden file says stood in a result. */
  toldSecret: boolean;
  user: UsersLook;
}

/** A command of the part, and why it is there. */
interface Step {
  about: string;
  command: string;
  needsGit?: boolean;
}

export const LEFT = "release-notes.md";
const COMMIT = "docs: checked in spring";

/** Runs commands in a session that is contained, asks to leave once, and looks from outside. */
export async function visitView(
  stage: Stage,
  screen: Screen,
  { session, outcomes }: WatchedSession,
  asked: readonly ApprovalRequest[],
  withGit: boolean,
): Promise<ContainedVisit> {
  const { copy } = stage;
  const { paint } = screen;
  if (!withGit) screen.prose("There is no git on this machine, so what it does is left out.");
  let visitors = 0;
  const server = createServer((_request, response) => {
    visitors += 1;
    response.end("reached");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const steps = stepsOf(url).filter(({ needsGit }) => withGit || needsGit !== true);
  const target = join(copy.root, LEFT);
  try {
    const askedUnderCareful = await countUnderCareful(copy, steps);
    for (const { about, command } of steps) {
      screen.line(paint.dim(`  ${about}:`));
      const outcome = await session.call({ name: "exec", arguments: { command } });
      for (const notice of noticesIn(outcome)) screen.prose(notice, 6, paint.yellow);
    }
    const before = existsSync(target);
    const fromInside = visitors;
    const reached = await (await fetch(url)).text();
    screen.line(paint.dim("  the same, and it asks to leave, so a person sees this:"));
    const args = {
      command: `cp README.md ../${LEFT}`,
      outside: true,
      reason: "the release notes lie beside the repository",
    };
    await session.call({ name: "exec", arguments: args });
    return {
      steps: steps.length,
      askedUnderCareful,
      questions: asked.map(({ reason }) => reason),
      left: { before, after: existsSync(target) },
      network: { possible: reached === "reached", reached: fromInside > 0 },
      ...(withGit && { git: await lookAtGit(copy, outcomes) }),
    };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function stepsOf(url: string): Step[] {
  const fetching = `fetch("${url}").then((r) => r.text(), (e) => e.cause.message).then(console.log)`;
  return [
    {
      about: "a line that no list of programs can judge",
      command: 'for f in src/*.js; do node --check "$f" && echo "$f is fine"; done',
    },
    {
      about: "a branch that tracks, which changes settings of git",
      command: "git checkout -q -b spring origin/spring && git branch -vv",
      needsGit: true,
    },
    {
      about: "a commit",
      command: `echo "- Checked." >> CHANGELOG.md && git add -A && git commit -q -m "${COMMIT}" && git log --format=%s -1`,
      needsGit: true,
    },
    {
      about: "a hook, for the user's next commit",
      command: 'echo "touch ../planted" > .git/hooks/pre-commit',
      needsGit: true,
    },
    {
      about: "a program, for the user's next status",
      command: `git config core.fsmonitor '${PLANT}'`,
      needsGit: true,
    },
    {
      about: "a file with a password, in the repository",
      command: `wc -c ${SECRET_FILE}; cat ${SECRET_FILE}`,
      needsGit: true,
    },
    {
      about: "another machine",
      command: "git ls-remote https://git.example.com/due-dates.git",
      needsGit: true,
    },
    { about: "a server of this machine", command: `node -e '${fetching}'` },
    {
      about: "a file beside the repository, in the /tmp that is the view's own",
      command: `cp README.md ../${LEFT}; ls ..`,
    },
  ];
}

/** What Haft says about a command, in front of what it printed. */
function noticesIn({ content }: ToolOutcome): string[] {
  return Array.from(textOf(content).matchAll(/^\[(.{100,})\]$/gm), ([, notice]) => notice!);
}

/** Nothing runs: only the policy is another one. */
async function countUnderCareful(copy: ProjectCopy, steps: readonly Step[]): Promise<number> {
  const host = await createDemoHost(copy, { exec: { preset: "careful" } }, { workspaceDir: copy.repository });
  try {
    const preview = await host.preview({ kind: "main" });
    const explained = await Promise.all(steps.map(({ command }) => preview.explain("exec", { command })));
    return explained.filter(({ verdict }) => verdict === "asks").length;
  } finally {
    await host.close();
  }
}

async function lookAtGit(copy: ProjectCopy, outcomes: readonly ToolOutcome[]): Promise<GitVisit> {
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
