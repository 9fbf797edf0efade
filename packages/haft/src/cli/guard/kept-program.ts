import { readRegularFile } from "@haft/workspace/internal/regular-file";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { constants as scripts, Script } from "node:vm";
import { shortName } from "../../guard/rules/short-name.ts";

/** Bytes. */
const LARGEST = 64 * 1024 * 1024;

/** Ways of which the code is kept: as many as a user with some agents has; one more is compiled each time. */
const MOST_WAYS = 64;

/** What a file of kept code says of itself, in its first line. */
export interface Head {
  /** The program: its path, and the very file that was compiled, since what V8 itself looks at is its length. */
  file: string;
  of: string;
  node: { file: string; of: string };
  ways: readonly string[];
}

/**
 * Loads a program together with the code that its earlier runs compiled. What Node keeps by itself is what is compiled while a file is
 * loaded; most functions are compiled when they are called, in each process anew, and that takes half of the time of a run. Here they
 * are kept, too, once a run has called them.
 *
 * @param file a CommonJS module in ASCII that imports others by `import()` alone: it has no `require`, which takes a millisecond to make
 * @param folder nobody but this user can write to it: what is found there is run
 * @returns what the program exports, and what is to be called when it is done, with what runs that do the same have in common
 */
export function keptProgram(file: string, folder: string): { program: unknown; keep: (way: string) => void } {
  const opened = openSync(file, constants.O_RDONLY);
  const of = stampOf(fstatSync(opened));
  // Of a byte for each character, also where it is kept: as UTF-8 it would take longer to read, and twice the room.
  const source = readFileSync(opened, "latin1");
  closeSync(opened);
  const place = join(folder, `guard-${process.version}-${process.arch}-${shortName(file)}`);
  const kept = readKept(place, of);
  const script = new Script(`(function (exports, module, __filename, __dirname) {${source}\n})`, {
    filename: file,
    cachedData: kept?.code,
    importModuleDynamically: scripts.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  const run = script.runInThisContext() as (...given: unknown[]) => void;
  run(module.exports, module, file, dirname(file));
  const ways = kept === undefined || script.cachedDataRejected === true ? [] : kept.ways;
  const keep = (way: string) => {
    if (ways.includes(way) || ways.length >= MOST_WAYS) return;
    const code = script.createCachedData();
    const node = { file: process.execPath, of: stampOf(statSync(process.execPath)) };
    write(place, { file, of, node, ways: [...ways, way] }, code);
  };
  return { program: module.exports, keep };
}

/** Of a file as it is: another one in its place has another. */
export function stampOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [ino, size, mtimeMs, ctimeMs].join();
}

function readKept(place: string, of: string): (Head & { code: Buffer }) | undefined {
  try {
    const bytes = readRegularFile(place, { largest: LARGEST });
    const end = bytes.indexOf("\n");
    const head = JSON.parse(bytes.toString("utf8", 0, end)) as Head;
    const twice = bytes.subarray(end + 1);
    const code = twice.subarray(0, twice.length / 2);
    const isWhole = code.length > 0 && code.equals(twice.subarray(code.length));
    return head.of === of && Array.isArray(head.ways) && isWhole ? { ...head, code } : undefined;
  } catch {
    // There is none yet, or it is none.
    return undefined;
  }
}

/**
 * In full, or not at all, and twice: V8 believes what it reads, and crashes where that is damaged. To compare takes no time, and what
 * computes checksums takes milliseconds to load. Of several that do so at once the last one counts.
 */
function write(place: string, head: Head, code: Buffer): void {
  const draft = `${place}.${process.pid}`;
  try {
    const opened = openSync(draft, "wx", 0o600);
    writeFileSync(opened, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), code, code]));
    fsyncSync(opened);
    closeSync(opened);
    renameSync(draft, place);
  } catch {
    // The next run compiles it again, as this one did.
    rmSync(draft, { force: true });
  }
}
