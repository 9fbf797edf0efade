import type { ToolOutcome } from "@haft/core";
import { contentToText } from "@haft/core";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { planCommand } from "../../src/plan/plan-command.ts";
import { site } from "./site.ts";

/** What git makes of a new workspace is the same each time: it is made once, and written out again. */
const made: { path: string; mode: number; content: Buffer | undefined }[] = [];

function makeRepository(folder: string, git: (...args: string[]) => string): void {
  if (made.length === 0) {
    git("init", "-q");
    git("add", "run.sh");
    git("commit", "-q", "-m", "first");
    for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
      const full = join(folder, path);
      const stat = statSync(full);
      const content = stat.isFile() ? readFileSync(full) : undefined;
      made.push({ path, mode: stat.mode & 0o777, content });
    }
    return;
  }
  mkdirSync(folder);
  for (const { path, mode, content } of made) {
    if (content === undefined) mkdirSync(join(folder, path), { mode });
    else writeFileSync(join(folder, path), content, { mode });
  }
  // Its index knows the file by its inode, too.
  git("update-index", "-q", "--refresh");
}

/** A workspace that is a repository of git with one commit, a home of its own, and a folder outside; git is listed. */
export async function gitSite(
  exec: Parameters<typeof site>[0] = { preset: "careful", allow: ["git"] },
  decide?: Parameters<typeof site>[1],
  whenOver: NonNullable<Parameters<typeof site>[4]> = onTestFinished,
) {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "haft-git-")));
  whenOver(async () => rmSync(outside, { recursive: true, force: true }));
  const home = join(outside, "home");
  const user = "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n";
  const fillOutside = (): void => {
    for (const name of readdirSync(outside)) rmSync(join(outside, name), { recursive: true });
    mkdirSync(home);
    writeFileSync(join(home, ".gitconfig"), user);
  };
  fillOutside();
  const variables = { HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  const { at, requests, open, workspace, fill } = site(exec, decide, {}, variables, whenOver);
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: at("."), env: { PATH: process.env["PATH"], ...variables } }).toString();
  makeRepository(at(".git"), git);
  let call = await open();
  const write = (path: string, content: string, mode = 0o644): void => {
    const full = path.startsWith("/") ? path : at(path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content, { mode });
  };
  return {
    at,
    requests,
    git,
    workspace,
    write,
    home,
    outside,
    user,
    marker: join(outside, "RAN"),
    ran: () => existsSync(join(outside, "RAN")),
    plan: (text: string) => planCommand(workspace, { text, shell: "sh" }),
    run: (command: string): Promise<ToolOutcome> => call("exec", { command }),
    /** Makes it what it was at first, with a session of its own. */
    async renew(): Promise<void> {
      fill();
      fillOutside();
      makeRepository(at(".git"), git);
      requests.length = 0;
      call = await open(`renewed-${++renewed}`);
    },
  };
}
let renewed = 0;

/** One site for many tests, each of which finds it as it was at first: whoever decides there allows nothing. */
export function sharedGitSite(): () => Promise<Awaited<ReturnType<typeof gitSite>>> {
  const ends: (() => Promise<void>)[] = [];
  let testSite: Awaited<ReturnType<typeof gitSite>> | undefined;
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return async () => {
    if (testSite === undefined) testSite = await gitSite(undefined, undefined, (end) => void ends.push(end));
    else await testSite.renew();
    return testSite;
  };
}

export const shown = (outcome: ToolOutcome): string => contentToText(outcome.content);
