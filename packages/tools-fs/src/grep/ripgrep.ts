import type { FileSystem, Workspace } from "@haft/plugin-sdk";
import type * as System from "@haft/system";
import type { LookupTime } from "../lookup/lookup-time.ts";
import type { GrepQuery } from "./query.ts";
import { ripgrepPattern } from "./ripgrep-pattern.ts";

/** Most pages are full after so many files, without a process. */
const DIRECT_FILES = 256;
const BATCH_FILES = 2048;
const BATCH_NAME_BYTES = 96 * 1024;

type Run = typeof System.runProgram;
type Searcher = (args: Parameters<Run>[1], options: Parameters<Run>[2]) => ReturnType<Run>;

type Prefilter = (paths: AsyncIterable<string>) => AsyncIterable<string>;

/**
 * ripgrep gets exact file names, ignores configuration and returns only names. The workspace reads these files again, so results do not
 * depend on it.
 */
export function createPrefilter(
  workspace: Workspace,
  query: GrepQuery,
  program: string | false | undefined,
  time: LookupTime,
): Prefilter {
  const { target, cwd } = workspace.describe();
  const pattern = program === false || target !== "host" ? undefined : ripgrepPattern(query);
  if (pattern === undefined || program === false) return (paths) => paths;
  return async function* prefiltered(paths) {
    let seen = 0;
    let found: Searcher | undefined;
    let batch: string[] = [];
    let bytes = 0;
    for await (const path of paths) {
      seen += 1;
      if (seen === DIRECT_FILES) found = await findSearcher(program);
      if (found === undefined || !isPlain(path)) {
        yield* batch;
        batch = [];
        yield path;
        continue;
      }
      batch.push(path);
      bytes += Buffer.byteLength(path) + 1;
      if (batch.length < BATCH_FILES && bytes < BATCH_NAME_BYTES) continue;
      yield* await filesWithMatches(workspace.fs, found, pattern, batch, cwd, time);
      batch = [];
      bytes = 0;
    }
    yield* batch.length < DIRECT_FILES || found === undefined
      ? batch
      : await filesWithMatches(workspace.fs, found, pattern, batch, cwd, time);
  };
}

/** The main root is also the program's current folder. */
function isPlain(path: string): boolean {
  return !path.startsWith("/") && !path.includes(":") && !path.startsWith("~") && !path.startsWith("@");
}

/** Non-ASCII bytes or CR line ends, which the matcher must decode or report. */
const INCLUDE_ENCODED = [
  "--text",
  "--no-follow",
  "--encoding=none",
  "--regexp",
  "(?-u:[^\\x01-\\x7f]|\\r[^\\n])",
];

/** Whether the workspace permits the program to read this file. */
async function isPlainFile(fs: FileSystem, path: string): Promise<boolean> {
  try {
    return (await fs.stat(path, { follow: false }))?.links === 1;
  } catch {
    return false;
  }
}

async function filesWithMatches(
  fs: FileSystem,
  run: Searcher,
  pattern: readonly string[],
  paths: readonly string[],
  cwd: string,
  time: LookupTime,
): Promise<readonly string[]> {
  const fixed = [
    "--no-config",
    "--no-messages",
    "--color=never",
    "--threads=2",
    "--files-with-matches",
    "--null",
  ];
  if (time.isExpired()) return paths;
  const certain = new Set<string>();
  for (const path of paths) if (!(await isPlainFile(fs, path))) certain.add(path);
  // Without file names, the program would search the folder.
  if (certain.size === paths.length) return paths;
  const args = [
    ...fixed,
    ...INCLUDE_ENCODED,
    ...pattern,
    "--",
    ...paths.filter((path) => !certain.has(path)),
  ];
  const options = {
    cwd,
    env: {},
    signal: time.signal,
    timeout: Math.max(1, Math.ceil(time.leftMs)),
    maxBuffer: 8 * 1024 * 1024,
    killSignal: "SIGKILL",
  } as const;
  const { output, failure } = await run(args, options);
  // Exit code 1 means no match. After any other failure, all files are searched.
  if (failure !== undefined && failure.code !== 1) return paths;
  const named = new Set(output.split("\0"));
  return paths.filter((path) => named.has(path) || certain.has(path));
}

/**
 * Returns the configured program, or a host program that others cannot have replaced.
 *
 * @throws `HOST_PROGRAM_MISSING` for a configured program, `HOST_PROGRAM_CHANGED`
 */
async function findSearcher(path: string | undefined): Promise<Searcher | undefined> {
  const system = await import("@haft/system");
  const coded = (thrown: unknown): never => {
    throw system.hostProgramError(thrown, "search");
  };
  try {
    const source = { path, option: 'the option "ripgrep"' };
    const program =
      path === undefined ? system.findHostProgram("rg").program : system.hostProgram("rg", source);
    if (program === undefined) return undefined;
    return (args, options) => system.runProgram(program, args, options).catch(coded);
  } catch (thrown) {
    return coded(thrown);
  }
}
