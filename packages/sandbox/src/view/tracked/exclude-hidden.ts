import { attempt, findHostProgram, isWithin, readRegularFile, runProgram, safePath } from "@haft/system";
import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { findWorkingTree, nameInIndex } from "../git-index/working-tree.ts";

const PATIENCE_MS = 10_000;
const SPECIAL = /[\\*?[\]!# ]/g;

export interface ExcludeOptions {
  hidden: readonly string[];
  roots: readonly string[];
  gitFolders: readonly string[];
}

/** Otherwise `git add -A` fails on hidden files. */
export async function writeExcludes(file: string, options: ExcludeOptions): Promise<void> {
  const { hidden, roots, gitFolders } = options;
  const lines = hidden.flatMap((path) => {
    const tree = findWorkingTree(path, gitFolders)?.top;
    // Commands can make it a repository.
    const tops = [...(tree === undefined ? [] : [tree]), ...roots];
    return tops.filter((top) => top !== path && isWithin(path, top)).map((top) => patternOf(top, path));
  });
  const userPatterns = await patternsOfUser(roots[0] ?? "/");
  const added = Buffer.from([...new Set(lines.flatMap((line) => line ?? []))].join("\n"), "latin1");
  writeFileSync(file, Buffer.concat([userPatterns, Buffer.from("\n"), added, Buffer.from("\n")]), {
    mode: 0o600,
  });
}

/** One character per byte; `undefined` if a pattern cannot express it. */
function patternOf(top: string, path: string): string | undefined {
  const name = nameInIndex(top, path);
  return name.includes("\n") ? undefined : `/${name.replaceAll(SPECIAL, String.raw`\$&`)}`;
}

async function patternsOfUser(folder: string): Promise<Buffer> {
  const home = homedir();
  const git = findHostProgram("git").program;
  const configured = git && (await pathFrom(git, folder, home));
  const config = process.env["XDG_CONFIG_HOME"] || join(home, ".config");
  const path = configured === undefined || configured === "" ? join(config, "git/ignore") : configured;
  const text = isAbsolute(path) ? attempt(() => readRegularFile(path)) : undefined;
  return text ?? Buffer.alloc(0);
}

async function pathFrom(
  git: NonNullable<ReturnType<typeof findHostProgram>["program"]>,
  cwd: string,
  home: string,
): Promise<string | undefined> {
  const config = process.env["XDG_CONFIG_HOME"];
  const { failure, output } = await runProgram(git, ["config", "--path", "--get", "core.excludesFile"], {
    cwd,
    timeout: PATIENCE_MS,
    env: {
      PATH: safePath(),
      HOME: home,
      LC_ALL: "C",
      ...(config === undefined ? {} : { XDG_CONFIG_HOME: config }),
    },
  });
  return failure === undefined ? output.replace(/\n$/, "") : undefined;
}
