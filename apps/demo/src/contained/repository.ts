import { execFile } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { fixture, type ProjectCopy } from "../project-copy.ts";

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
  const { stdout } = await run("git", ["-c", "protocol.file.allow=always", ...args], {
    cwd: folder,
    env: ENV,
  });
  return stdout;
}

/** Is there a git on this machine? */
export async function hasGit(): Promise<boolean> {
  return run("git", ["--version"]).then(
    () => true,
    () => false,
  );
}

/** The project as a user has it: a repository with a remote, whose branch `spring` nobody has here yet. */
export async function makeRepository({ root, repository }: ProjectCopy, withGit: boolean): Promise<void> {
  await cp(fixture, repository, { recursive: true });
  if (!withGit) return;
  const remote = join(root, "remote.git");
  await git(root, "init", "-q", "--bare", remote);
  await git(repository, "init", "-q");
  const settings = ["user.name Ada", "user.email ada@example.com", "commit.gpgsign false"];
  for (const one of settings) await git(repository, "config", ...one.split(" "));
  await git(repository, "symbolic-ref", "HEAD", "refs/heads/main");
  await git(repository, "add", "-A");
  await git(repository, "commit", "-q", "--no-verify", "-m", "feat: due dates");
  await git(repository, "remote", "add", "origin", remote);
  await git(repository, "push", "-q", "--no-verify", "origin", "HEAD:main", "HEAD:spring");
  await git(repository, "fetch", "-q");
  writeFileSync(join(repository, SECRET_FILE), `machine registry.example.com password ${TOKEN}\n`);
  chmodSync(join(repository, SECRET_FILE), 0o600);
  appendFileSync(join(repository, ".git/info/exclude"), `${SECRET_FILE}\n`);
}

/** What the user finds afterwards. */
export interface UsersLook {
  /** What `git status` says beside the branch: nothing, when all is well. */
  status: string;
  fsck: boolean;
  /** Something that commands had planted ran. */
  ranPlanted: boolean;
  /** The same, planted by the user in a clone, does run: otherwise this would prove nothing. */
  plantable: boolean;
}

/** Works with git as the user does next, and looks what that started. */
export async function lookAsUser({ root, repository }: ProjectCopy): Promise<UsersLook> {
  const status = await git(repository, "status", "--porcelain");
  const fsck = await git(repository, "fsck").then(
    () => true,
    () => false,
  );
  const ranPlanted = existsSync(join(root, MARK));
  const clone = join(root, "clone-of-the-user", "clone");
  await git(root, "clone", "-q", repository, clone);
  await git(clone, "config", "core.fsmonitor", PLANT);
  await git(clone, "status", "--porcelain");
  const plantable = existsSync(join(root, "clone-of-the-user", MARK));
  return { status: status.trim(), fsck, ranPlanted, plantable };
}
