import { type FileSystem, HaftError } from "@haft/core";
import { createHostWorkspace } from "@haft/workspace";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBoundary } from "../../src/boundary/open-boundary.ts";
import { createKernelFolders } from "../../src/boundary/walk/kernel-folders.ts";
import { chooseFiles } from "../../src/scan/filter-files.ts";
import { HostScan } from "../../src/scan/host-scan.ts";

const INSIDE = "inside";
const SECRET = "SECRET";

/** What came of many operations on `spot/target` while `spot` was a folder of the workspace one moment and a link out of it the next. */
export interface RaceCount {
  operation: string;
  attempts: number;
  done: number;
  /** Answered with a coded error; by code. */
  refused: Record<string, number>;
  /** Bytes from outside that were read, or changes that were made outside. */
  escapes: number;
}

interface Course {
  base: string;
  ws: string;
  outside: string;
  fs: FileSystem;
}

type Attempt = (course: Course, index: number) => Promise<string | undefined>;

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const payload = Buffer.from("written");

/** Each answers what it has read, if anything. */
const ATTEMPTS: Record<string, Attempt> = {
  read: async ({ fs }) => text((await fs.read("spot/target")).bytes),
  /** A scan that lists the folder, and a filter that reads its files. */
  scan: async ({ ws }) => {
    const boundary = openBoundary({ root: ws, added: {} }, createKernelFolders()!);
    const scan = new HostScan(boundary, ".", {}, undefined);
    const { entries } = scan.next({ entries: 100, milliseconds: 1_000 });
    scan.close();
    let found: string | undefined;
    const listed = entries.some(({ path }) => path === "spot/target")
      ? entries
      : [{ path: "spot/target", type: "file" as const }];
    const isChosen = chooseFiles(boundary, ".", (content) => {
      if (text(content) === SECRET) found = SECRET;
      return true;
    });
    for (const entry of listed) isChosen(entry);
    return found;
  },
  write: async ({ fs }) => void (await fs.write("spot/target", payload, { parents: false })),
  create: async ({ fs }, index) =>
    void (await fs.write(`spot/new-${index}`, payload, { mode: "create", parents: false })),
  append: async ({ fs }) => void (await fs.append("spot/log", payload)),
  mkdirp: async ({ fs }, index) => void (await fs.mkdirp(`spot/dir-${index}`)),
  remove: async (course) => {
    await restored(course, "spot/removable");
    await course.fs.remove("spot/removable");
  },
  rename: async (course) => {
    await restored(course, "spot/movable");
    await course.fs.rename("spot/movable", "spot/moved", { replace: true });
  },
};

/** Puts back what an earlier attempt took, if the race lets it. */
async function restored({ fs }: Course, path: string): Promise<void> {
  await fs.write(path, payload, { parents: false }).catch(() => undefined);
}

/** What most tools do: check the real path, then use the path. It shows that the race is a real one. */
const CHECKED_FIRST: Record<string, Attempt> = {
  "read, path checked first": async ({ ws }) => readFile(await checked(ws, "spot/target"), "utf8"),
  "write, path checked first": async ({ ws }) =>
    writeFile(await checked(ws, "spot/target"), payload).then(() => undefined),
};

async function checked(ws: string, path: string): Promise<string> {
  const target = join(ws, path);
  if (!(await realpath(target)).startsWith(`${ws}/`))
    throw new HaftError("OUTSIDE_WORKSPACE", "", { category: "policy" });
  return target;
}

export const OPERATIONS: readonly string[] = Object.keys(ATTEMPTS);

/** Runs one operation `attempts` times against a process that swaps its folder; `unsafe` runs the control instead. */
export async function race(operation: string, attempts: number, unsafe = false): Promise<RaceCount> {
  const name = unsafe ? `${operation}, path checked first` : operation;
  const attempt = (unsafe ? CHECKED_FIRST : ATTEMPTS)[name];
  if (attempt === undefined) throw new Error(`there is no operation called ${name}`);
  const course = lay();
  const swapper = await startSwapper(course);
  const over = once(swapper, "exit");
  const count: RaceCount = { operation: name, attempts, done: 0, refused: {}, escapes: 0 };
  try {
    for (let index = 0; index < attempts; index += 1) {
      try {
        const read = await attempt(course, index);
        count.done += 1;
        if (read === SECRET) count.escapes += 1;
      } catch (thrown) {
        const code = (thrown as { code?: string }).code ?? String(thrown);
        count.refused[code] = (count.refused[code] ?? 0) + 1;
      }
      count.escapes += repairOutside(course.outside);
      // The swapper cannot be kept waiting for the event loop, but other things may.
      if (index % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
    }
    if (swapper.exitCode !== null) throw new Error("the other process ended too early");
    return count;
  } finally {
    swapper.kill("SIGKILL");
    await over;
    rmSync(course.base, { recursive: true, force: true });
  }
}

const OUTSIDE_FILES = ["log", "movable", "removable", "target"];

function lay(): Course {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-race-")));
  const [ws, outside, spot] = ["ws", "outside", "ws/spot"].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [ws, outside, spot]) mkdirSync(folder);
  for (const name of OUTSIDE_FILES) {
    writeFileSync(join(spot, name), INSIDE);
    writeFileSync(join(outside, name), SECRET);
  }
  return { base, ws, outside, fs: createHostWorkspace({ root: ws }).fs };
}

/** Counts what was changed outside, and takes it back. */
function repairOutside(outside: string): number {
  let changes = 0;
  for (const name of readdirSync(outside)) {
    if (OUTSIDE_FILES.includes(name)) continue;
    changes += 1;
    rmSync(join(outside, name), { recursive: true });
  }
  for (const name of OUTSIDE_FILES) {
    const file = join(outside, name);
    let now = "";
    try {
      now = readFileSync(file, "utf8");
    } catch {
      // Removed or moved away: counted like any other change.
    }
    if (now === SECRET) continue;
    changes += 1;
    writeFileSync(file, SECRET);
  }
  return changes;
}

async function startSwapper({ base, ws, outside }: Course): Promise<ChildProcess> {
  const script = join(import.meta.dirname, "swapper.ts");
  const swapper = spawn(process.execPath, [script, join(ws, "spot"), join(base, "aside"), outside], {
    stdio: "inherit",
  });
  await once(swapper, "spawn");
  return swapper;
}
