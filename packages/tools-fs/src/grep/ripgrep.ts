import type { FileSystem, Workspace } from "@haft/plugin-sdk";
import type * as System from "@haft/system";
import type { LookupTime } from "../lookup/lookup-time.ts";
import type { GrepQuery } from "./query.ts";
import { ripgrepPattern } from "./ripgrep-pattern.ts";

/** So many files are searched directly: most searches have filled their page by then, without a process. */
const DIRECT_FILES = 256;
/** Files given to one process, and the bytes their names may take. */
const BATCH_FILES = 2048;
const BATCH_NAME_BYTES = 96 * 1024;

type Run = typeof System.runProgram;
type Searcher = (args: Parameters<Run>[1], options: Parameters<Run>[2]) => ReturnType<Run>;

/** Passes on the paths worth searching, in order. */
type Prefilter = (paths: AsyncIterable<string>) => AsyncIterable<string>;

/**
 * Lets ripgrep rule files out of a long search. It is told exactly which files to look at, follows
 * no configuration, and answers with names only; whatever it names is read again through the
 * workspace and matched by the one matcher. So it can make a search faster, and nothing else.
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
    // Not worth a process any more.
    yield* batch.length < DIRECT_FILES || found === undefined
      ? batch
      : await filesWithMatches(workspace.fs, found, pattern, batch, cwd, time);
  };
}

/** Relative to the main root, so that the program's current folder is where it starts too. */
function isPlain(path: string): boolean {
  return !path.startsWith("/") && !path.includes(":") && !path.startsWith("~") && !path.startsWith("@");
}

/**
 * What is text is decided where matches are shown, so every file with bytes beyond ASCII is named: it may turn out to be
 * text that cannot be searched, and then has to be told. So is one in which a carriage return may end a line.
 */
const TELL_ENCODED = [
  "--text",
  "--no-follow",
  "--encoding=none",
  "--regexp",
  "(?-u:[^\\x01-\\x7f]|\\r[^\\n])",
];

/** Does the workspace let the program see this file? If not, it is none of its business, and is told by the reader. */
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
  // Told no file, the program would look for some itself.
  if (certain.size === paths.length) return paths;
  const args = [...fixed, ...TELL_ENCODED, ...pattern, "--", ...paths.filter((path) => !certain.has(path))];
  const options = {
    cwd,
    env: {},
    signal: time.signal,
    timeout: Math.max(1, Math.ceil(time.leftMs)),
    maxBuffer: 8 * 1024 * 1024,
    killSignal: "SIGKILL",
  } as const;
  const { output, failure } = await run(args, options);
  // 1: no match anywhere. Any other failure means that it cannot be relied on: search everything.
  if (failure !== undefined && failure.code !== 1) return paths;
  const named = new Set(output.split("\0"));
  return paths.filter((path) => named.has(path) || certain.has(path));
}

/**
 * The operator's, or what the host finds, but nothing that others could have put there: then files are searched here,
 * which takes longer and finds the same.
 *
 * @throws HaftError `HOST_PROGRAM_MISSING` for one that was named, `HOST_PROGRAM_CHANGED`
 */
async function findSearcher(path: string | undefined): Promise<Searcher | undefined> {
  const system = await import("@haft/system");
  const coded = (thrown: unknown): never => {
    throw system.hostProgramError(thrown, "search");
  };
  try {
    const place = { path, option: 'the option "ripgrep"' };
    const program =
      path === undefined ? system.findHostProgram("rg").program : system.hostProgram("rg", place);
    if (program === undefined) return undefined;
    return (args, options) => system.runProgram(program, args, options).catch(coded);
  } catch (thrown) {
    return coded(thrown);
  }
}
