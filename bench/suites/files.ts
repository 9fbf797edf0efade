import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Session } from "@haft/core";
import { definePlugin, type AnyTool, type Plugin } from "@haft/plugin-sdk";
import { createApplyPatchTool, createEditTool, createReadTool, createWriteTool } from "@haft/tools-fs";
import { createHostWorkspace } from "@haft/workspace";
import { createHost } from "haft";
import {
  contentOf,
  EditWork,
  FILES,
  makeFiles,
  MB,
  middleOf,
  observe,
  ownFolder,
  PatchWork,
  touch,
} from "../file-work.ts";
import type { Case, Metric, StartSubject, Subject, Suite, TimedSubject } from "../suite.ts";

type FileName = keyof typeof FILES;

/** Runs one call and refuses to measure a failure. */
type Caller = (name: string, args: object) => Promise<unknown>;

interface Place {
  folder: string;
  call: Caller;
  /** So that measuring the same call again is no loop. */
  forget: () => void;
}

/** A session as a host opens it. */
async function openSession(
  folder: string,
  options: { stateDir?: string; plugins?: Plugin[] } = {},
): Promise<Place> {
  const host = await createHost({ workspaceDir: folder, stateDir: false, ...options });
  const session: Session = await host.openSession();
  return {
    folder,
    forget: () => session.resetLoopGuard(),
    async call(name, args) {
      const outcome = await session.call({ name, arguments: args });
      if (outcome.kind !== "ok") throw new Error(JSON.stringify(outcome.content));
    },
  };
}

/** The tools by themselves, without a session. */
function toolsAlone(folder: string): Place {
  const workspace = createHostWorkspace({ root: folder });
  const tools: AnyTool[] = [createReadTool(), createWriteTool(), createEditTool(), createApplyPatchTool()];
  const { signal } = new AbortController();
  const context = { workspace, model: { name: "", contextTokens: 128_000, images: true } } as never;
  return {
    folder,
    forget() {},
    call: async (name, args) =>
      tools.find((tool) => tool.name === name)!.execute("id", args as never, signal, undefined, context),
  };
}

const session = (folder: string) => openSession(folder);
const withJournal = (folder: string) => openSession(folder, { stateDir: ownFolder(folder) });
const durable = (folder: string) => {
  const tools = [
    createWriteTool({ durable: true }),
    createEditTool({ durable: true }),
    createApplyPatchTool({ durable: true }),
  ];
  const plugin: Plugin = {
    ...definePlugin({ id: "durable", tools }),
    replaces: tools.map(({ name }) => name),
  };
  return openSession(folder, { plugins: [plugin] });
};

/** What the model is sent of images is bounded by its provider; this one takes large ones. */
const largeImages = (folder: string) => {
  const tool = createReadTool({ imageLimits: { maxSide: 4000, maxBase64Bytes: 20 * MB } });
  return openSession(folder, {
    plugins: [{ ...definePlugin({ id: "large", tools: [tool] }), replaces: ["read"] }],
  });
};

type Open = (folder: string) => Place | Promise<Place>;

/** A page of a file that has just changed. */
function reading(open: Open, file: FileName): StartSubject {
  return async (fixtures) => {
    const { call, forget } = await open(fixtures);
    const { name } = FILES[file];
    const before = () => {
      forget();
      touch(join(fixtures, name));
    };
    return { before, run: () => call("read", { path: name }) };
  };
}

/** The same file again and again; every call asks for another number of lines. */
function readingSmall(open: Open): StartSubject {
  return async (fixtures) => {
    const { call } = await open(fixtures);
    let limit = 1000;
    return { run: () => call("read", { path: FILES.small.name, limit: limit++ }) };
  };
}

const PAGES: readonly Metric[] = [
  { key: "first", label: "page in the middle", unit: "time" },
  { key: "next", label: "next page", unit: "time" },
  { key: "stall", label: "longest stall of the event loop", unit: "time" },
  { key: "memory", label: "memory at its peak", unit: "bytes" },
];

/** Two pages in the middle of a file too large to be held. */
function paging(open: Open, file: FileName): StartSubject {
  return async (fixtures) => {
    const { call } = await open(fixtures);
    const path = FILES[file].name;
    const offset = middleOf(FILES[file]);
    await call("read", { path: FILES.small.name });
    return { sample: () => pages((line) => call("read", { path, offset: line, limit: 100 }), offset) };
  };
}

async function pages(read: (line: number) => unknown, line: number): Promise<Record<string, number>> {
  const first = await observe(() => read(line));
  const next = await observe(() => read(line + 100));
  const stall = Math.max(first.stall, next.stall);
  return { first: first.time, next: next.time, stall, memory: Math.max(first.memory, next.memory) };
}

/** Finds the page by counting line ends in slices, all synchronously. */
function countingLines(file: FileName): StartSubject {
  return (fixtures) => {
    const buffer = Buffer.allocUnsafe(4 * MB);
    const read = (line: number) => {
      const handle = openSync(join(fixtures, FILES[file].name), "r");
      let left = line - 1;
      while (left > 0) {
        const bytes = buffer.subarray(0, readSync(handle, buffer));
        for (let at = bytes.indexOf(10); at >= 0 && left > 0; at = bytes.indexOf(10, at + 1)) left--;
      }
      closeSync(handle);
    };
    return { sample: () => pages(read, middleOf(FILES[file])) };
  };
}

const IMAGE: readonly Metric[] = [
  { key: "time", label: "time", unit: "time" },
  { key: "stall", label: "longest stall of the event loop", unit: "time" },
];

function seeing(open: Open): StartSubject {
  return async (fixtures) => {
    const { call } = await open(fixtures);
    const { name } = FILES.image;
    await call("read", { path: name });
    return {
      sample() {
        touch(join(fixtures, name));
        return observe(() => call("read", { path: name }));
      },
    };
  };
}

function writing(open: Open): StartSubject {
  return async (fixtures) => {
    const { call } = await open(ownFolder(fixtures));
    let turn = 0;
    return { run: () => call("write", { path: "written.txt", content: contentOf(turn++) }) };
  };
}

function editing(open: Open, bytes: number): StartSubject {
  return async (fixtures) => {
    const { folder, call } = await open(ownFolder(fixtures));
    const work = new EditWork(folder, bytes);
    return { run: () => call("edit", { path: "edited.ts", ...work.next() }) };
  };
}

function patching(open: Open, size: { files: number; lines: number; hunks: number }): StartSubject {
  return async (fixtures) => {
    const { folder, call, forget } = await open(ownFolder(fixtures));
    const work = new PatchWork(folder, size);
    let input = "";
    const before = () => {
      forget();
      input = work.next();
    };
    return { before, run: () => call("apply_patch", { input }) };
  };
}

/** Replaces a file atomically: written beside it, then renamed. */
function replace(path: string, content: string, flush = false): void {
  const file = openSync(`${path}.new`, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC);
  writeFileSync(file, content);
  if (flush) fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.new`, path);
}

const bareWrite =
  (flush: boolean): StartSubject =>
  (fixtures) => {
    const path = join(ownFolder(fixtures), "written.txt");
    let turn = 0;
    return { run: () => replace(path, contentOf(turn++), flush) };
  };

const bareEdit =
  (bytes: number): StartSubject =>
  (fixtures) => {
    const work = new EditWork(ownFolder(fixtures), bytes);
    return {
      run() {
        const { oldText, newText } = work.next();
        replace(
          work.path,
          readFileSync(work.path, "utf8").replace(oldText, () => newText),
        );
      },
    };
  };

/** As many replacements as the patch has hunks, without looking for their context. */
const barePatch =
  (size: { files: number; lines: number; hunks: number }): StartSubject =>
  (fixtures): TimedSubject => {
    const folder = ownFolder(fixtures);
    const { paths } = new PatchWork(folder, size);
    let turn = 0;
    return {
      run() {
        turn++;
        for (const path of paths) {
          const lines = readFileSync(join(folder, path), "utf8").split("\n");
          for (let hunk = 0; hunk < size.hunks; hunk++) lines[hunk] = `${lines[hunk]} ${turn}`;
          replace(join(folder, path), lines.join("\n"));
        }
      },
    };
  };

const bareRead =
  (file: FileName, encoding: "utf8" | "base64"): StartSubject =>
  (fixtures): Subject => {
    const path = join(fixtures, FILES[file].name);
    const read = () => statSync(path) && readFileSync(path, encoding);
    return file === "image" ? { sample: () => observe(read) } : { run: read };
  };

const manyFiles = { files: 100, lines: 200, hunks: 3 };
const largeFile = { files: 1, lines: (5 * MB) / 64, hunks: 500 };

/** A change in a session, and with what a host may add to it. */
function changes(change: (open: Open) => StartSubject): Record<string, StartSubject> {
  return {
    Haft: change(session),
    "Haft, kept for undo": change(withJournal),
    "Haft, flushed to disk": change(durable),
    "Haft, tool alone": change(toolsAlone),
  };
}

const cases: readonly Case[] = [
  {
    name: "read 2 KB",
    about:
      "Through `session.call()`, as all of Haft here unless it says otherwise; limit: `stat` and `readFileSync`.",
    subjects: {
      Haft: readingSmall(session),
      "Haft, tool alone": readingSmall(toolsAlone),
      limit: bareRead("small", "utf8"),
    },
    peers: { pi: "piReadSmall", "MCP server-filesystem": "mcpReadSmall" },
  },
  {
    name: "read 10 MB of text, first page",
    about: "With the number of lines; the file is new each time; limit: `readFileSync` of all of it.",
    subjects: { Haft: reading(session, "medium"), limit: bareRead("medium", "utf8") },
    peers: { pi: "piReadMedium", "MCP server-filesystem": "mcpReadMedium" },
  },
  ...(["large", "huge"] as const).map((file) => ({
    name: file === "large" ? "256 MB of text" : "1 GB of text",
    about: "In a new process each time; limit: counting line ends with `indexOf`, all in one go.",
    metrics: PAGES,
    rounds: 5,
    fresh: true,
    subjects: { Haft: paging(session, file), limit: countingLines(file) },
    peers: { pi: `piPages${file === "large" ? "Large" : "Huge"}` },
  })),
  {
    name: "10 MB PNG, passed through",
    about: "For a provider that takes images so large; limit: its base64.",
    metrics: IMAGE,
    rounds: 9,
    subjects: { Haft: seeing(largeImages), limit: bareRead("image", "base64") },
  },
  {
    name: "10 MB PNG, shrunk",
    metrics: IMAGE,
    rounds: 3,
    subjects: { Haft: seeing(session) },
    peers: { pi: "piImage" },
  },
  {
    name: "write 1 KB",
    about: "Over a file, with a diff; pi and MCP are not atomic; limit: a file beside it, renamed.",
    subjects: { ...changes(writing), limit: bareWrite(false), "limit, flushed to disk": bareWrite(true) },
    peers: { pi: "piWrite", "MCP server-filesystem": "mcpWrite" },
  },
  {
    name: "edit one line of 1 MB",
    about: "Limit: read, replace, write beside, rename.",
    subjects: { ...changes((open) => editing(open, MB)), limit: bareEdit(MB) },
    peers: { pi: "piEditSmall", "MCP server-filesystem": "mcpEditSmall" },
  },
  {
    name: "edit one line of 20 MB",
    rounds: 5,
    subjects: { ...changes((open) => editing(open, 20 * MB)), limit: bareEdit(20 * MB) },
    peers: { pi: "piEditLarge", "MCP server-filesystem": "mcpEditLarge" },
  },
  {
    name: "apply_patch: 100 files, 3 hunks each",
    about:
      "All or nothing; OpenAI Agents: `applyDiff`, files written one by one; limit: the files rewritten, renamed.",
    rounds: 9,
    subjects: { ...changes((open) => patching(open, manyFiles)), limit: barePatch(manyFiles) },
    peers: { "OpenAI Agents applyDiff": "agentsPatchMany" },
  },
  {
    name: "apply_patch: 5 MB, 500 hunks",
    rounds: 9,
    subjects: { ...changes((open) => patching(open, largeFile)), limit: barePatch(largeFile) },
    peers: { "OpenAI Agents applyDiff": "agentsPatchLarge" },
  },
];

export const suite: Suite = { name: "files", title: "Files", prepare: makeFiles, cases };
