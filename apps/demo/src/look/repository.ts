import { execFile } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { fixture, type ProjectCopy } from "../project-copy.ts";
import type { UsersLook } from "../stage.ts";

const run = promisify(execFile);
/** A hook of git may have started the demo: its repository is not this one. */
const ENV = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));

/** Stands in a file that commands do not see, and must stand in no result. */
export const TOKEN = "token-of-nobody-4711";
/** The file with it. */
export const SECRET_FILE = ".netrc";
/** Where what commands planted would leave its mark, beside the repository. */
const MARK = "planted";
/** As git starts it at the next `git status`. */
export const PLANT = `touch ../${MARK}; false`;

/** git as the user has it, beside the session. @throws when it fails, or there is none */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const all = ["-c", "protocol.file.allow=always", ...args];
  return (await run("git", all, { cwd: folder, env: ENV })).stdout;
}

/** Whether git says nothing is wrong. */
export function succeeds(folder: string, ...args: string[]): Promise<boolean> {
  return git(folder, ...args).then(
    () => true,
    () => false,
  );
}

/** The project as a user has it: a repository with a remote, whose branch `spring` nobody has here yet. */
export async function makeRepository({ root, repository }: ProjectCopy, withGit: boolean): Promise<void> {
  await cp(fixture, repository, { recursive: true });
  if (!withGit) return;
  const remote = join(root, "remote.git");
  const commands = [
    "init -q",
    "config user.name Ada",
    "config user.email ada@example.com",
    "config commit.gpgsign false",
    "symbolic-ref HEAD refs/heads/main",
    "add -A",
    "commit -q --no-verify -m due-dates",
  ];
  await git(root, "init", "-q", "--bare", remote);
  for (const command of commands) await git(repository, ...command.split(" "));
  await git(repository, "remote", "add", "origin", remote);
  await git(repository, "push", "-q", "--no-verify", "origin", "HEAD:main", "HEAD:spring");
  await git(repository, "fetch", "-q");
  writeFileSync(join(repository, SECRET_FILE), `machine registry.example.com password ${TOKEN}\n`);
  chmodSync(join(repository, SECRET_FILE), 0o600);
  appendFileSync(join(repository, ".git/info/exclude"), `${SECRET_FILE}\n`);
}

/** Works with git as the user does next, and looks what that started. */
export async function lookAsUser({ root, repository }: ProjectCopy): Promise<UsersLook> {
  const status = (await git(repository, "status", "--porcelain")).trim();
  const fsck = await succeeds(repository, "fsck");
  const ranPlanted = existsSync(join(root, MARK));
  // The same, planted by the user in a clone, does run: otherwise this would prove nothing.
  const clone = join(root, "clone-of-the-user", "clone");
  await git(root, "clone", "-q", repository, clone);
  await git(clone, "config", "core.fsmonitor", PLANT);
  await git(clone, "status", "--porcelain");
  return { status, fsck, ranPlanted, plantable: existsSync(join(root, "clone-of-the-user", MARK)) };
}
