import type { FileSystem } from "@haft/core";
import { attempt, findHostProgram, isWithin, runProgram } from "@haft/system";
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";

export type OuterIgnores = Awaited<ReturnType<NonNullable<FileSystem["outerIgnores"]>>>;

const NAMES = [".gitignore", ".ignore", ".rgignore"] as const;

export async function readOuterIgnores(root: string, home: string): Promise<OuterIgnores> {
  const excludes = await excludesFile(home);
  const user = excludes === undefined ? "" : readLines(excludes, { follow: true });
  const repository = repositoryOf(root);
  if (repository === undefined) return { above: [], user };
  const above: OuterIgnores["above"][number][] = [];
  for (let folder = root; folder !== repository;) {
    folder = dirname(folder);
    const below = relative(folder, root);
    const files = NAMES.map((name) => ({ name, below, text: readLines(join(folder, name)) }));
    above.unshift(...files.filter(({ text }) => text !== ""));
  }
  const git = commonGitFolder(repository);
  const exclude = isWithin(git, root) ? "" : readLines(join(git, "info/exclude"));
  return { above, repository: { below: relative(repository, root), exclude }, user };
}

function repositoryOf(root: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    if (attempt(() => lstatSync(join(folder, ".git"))) !== undefined) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

const MOST_BYTES = 1024 * 1024;

/** Like git in a work tree, follows no link by default. */
function readLines(path: string, { follow = false } = {}): string {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (follow ? 0 : constants.O_NOFOLLOW);
  const fd = attempt(() => openSync(path, flags));
  if (fd === undefined) return "";
  try {
    if (!fstatSync(fd).isFile()) return "";
    const bytes = Buffer.allocUnsafe(Math.min(fstatSync(fd).size, MOST_BYTES));
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return "";
  } finally {
    closeSync(fd);
  }
}

function commonGitFolder(workTree: string): string {
  const git = join(workTree, ".git");
  const [, named] = /^gitdir: (.+?)\r?\n?$/.exec(readLines(git)) ?? [];
  if (named === undefined) return git;
  const linked = resolve(workTree, named);
  const common = readLines(join(linked, "commondir")).trim();
  return common === "" ? linked : resolve(linked, common);
}

const DEADLINE_MS = 5_000;

const lookups = new Map<string, Promise<string | undefined>>();

/** Runs git once per home folder, outside of every repository. */
function excludesFile(home: string): Promise<string | undefined> {
  const known = lookups.get(home);
  if (known !== undefined) return known;
  const answer = findExcludesFile(home);
  lookups.set(home, answer);
  return answer;
}

async function findExcludesFile(home: string): Promise<string | undefined> {
  const env = environmentOf(home);
  const configuration = env["XDG_CONFIG_HOME"] ?? join(home, ".config");
  const configFiles = [join(home, ".gitconfig"), join(configuration, "git/config"), "/etc/gitconfig"];
  const isConfigured = [...configFiles, env["GIT_CONFIG_GLOBAL"] ?? ""].some(
    (path) => path !== "" && existsSync(path),
  );
  const named = isConfigured ? await askGit(env) : undefined;
  if (named === "") return undefined;
  return named !== undefined && isAbsolute(named) ? named : join(configuration, "git/ignore");
}

/** The environment of another user is unknown. */
function environmentOf(home: string): Record<string, string | undefined> {
  const isCurrentUser = home === homedir();
  const { GIT_CONFIG_GLOBAL, XDG_CONFIG_HOME } = isCurrentUser ? process.env : {};
  return {
    HOME: home,
    GIT_CEILING_DIRECTORIES: "/",
    ...(GIT_CONFIG_GLOBAL && { GIT_CONFIG_GLOBAL }),
    ...(XDG_CONFIG_HOME && { XDG_CONFIG_HOME }),
  };
}

/** An empty result means no file, `undefined` an unknown file. */
async function askGit(env: Record<string, string | undefined>): Promise<string | undefined> {
  try {
    const { program } = findHostProgram("git");
    if (program === undefined) return undefined;
    const options = { cwd: "/", env, timeout: DEADLINE_MS };
    const args = ["config", "--type=path", "--get", "core.excludesFile"];
    const { output, failure } = await runProgram(program, args, options);
    return failure === undefined ? output.replace(/\r?\n$/, "") : undefined;
  } catch {
    return undefined;
  }
}
