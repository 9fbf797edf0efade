import { type HostProgram, makePrivateFolder, runProgram, safePath } from "@haft/system";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkingTree } from "../git-index/working-tree.ts";

const LARGEST = 16 * 1024 * 1024;
const PATIENCE_MS = 20_000;

export interface CheckOut {
  git: HostProgram;
  tree: WorkingTree;
  index: Buffer;
  /** 20 or 32 bytes. */
  hash: number;
  /** One character per byte; no links. */
  entries: ReadonlyMap<string, string>;
  /** Contains git's files in `git`, and the entries in `files`. */
  folder: string;
}

/** Ignores settings and filters. `undefined` if they are too large. */
export async function checkOutEntries(wanted: CheckOut): Promise<string | undefined> {
  const { git, tree, index, hash, entries, folder } = wanted;
  const [gitFolder, files] = [join(folder, "git"), join(folder, "files")];
  for (const path of [gitFolder, files]) makePrivateFolder(path);
  for (const name of ["objects", "refs"]) mkdirSync(join(gitFolder, name));
  const format = hash === 32 ? "[extensions]\n\tobjectFormat = sha256\n" : "";
  const version = hash === 32 ? 1 : 0;
  writeFileSync(
    join(gitFolder, "config"),
    `[core]\n\trepositoryFormatVersion = ${version}\n\tbare = false\n${format}`,
  );
  writeFileSync(join(gitFolder, "HEAD"), "ref: refs/heads/none\n");
  writeFileSync(join(gitFolder, "index"), index, { mode: 0o600 });
  const options = {
    cwd: files,
    timeout: PATIENCE_MS,
    maxBuffer: LARGEST,
    env: {
      PATH: safePath(),
      LC_ALL: "C",
      GIT_DIR: gitFolder,
      GIT_WORK_TREE: files,
      GIT_OBJECT_DIRECTORY: join(tree.common, "objects"),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_NO_LAZY_FETCH: "1",
      GIT_TERMINAL_PROMPT: "0",
    },
  };
  const objects = Buffer.from([...entries.values()].map((one) => `${one}\n`).join(""));
  const sizes = await runProgram(git, ["cat-file", "--batch-check=%(objecttype) %(objectsize)"], {
    ...options,
    input: objects,
  });
  const total = sizes.output
    .trim()
    .split("\n")
    .map((line) => Number(/^blob (\d+)$/.exec(line)?.[1]));
  if (sizes.failure !== undefined || !(total.reduce((sum, one) => sum + one, 0) <= LARGEST)) return undefined;
  const names = Buffer.from([...entries.keys()].map((name) => `${name}\0`).join(""), "latin1");
  const { failure } = await runProgram(git, ["checkout-index", "-q", "-z", "--stdin"], {
    ...options,
    input: names,
  });
  return failure === undefined ? files : undefined;
}
