import type { Session } from "@haft/core/kernel";
import { definePlugin, type AnyTool, type Plugin } from "@haft/plugin-sdk";
import { createApplyPatchTool, createEditTool, createReadTool, createWriteTool } from "@haft/tools-fs";
import { createHostWorkspace } from "@haft/workspace";
import { createHost, type HostOptions } from "haft";
// Haft's file tools and bare primitives at the work of files.ts.
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
import type { Metric, StartSubject, Subject, TimedSubject } from "../suite.ts";
import {
  createContent,
  EditWork,
  FILES,
  largeContents,
  MB,
  getMiddleLine,
  observe,
  createWorkFolder,
  PatchWork,
  type PatchSize,
  touch,
} from "./files.ts";

type FileName = keyof typeof FILES;

/** Fails if the call fails. */
type Caller = (name: string, args: object) => Promise<unknown>;

interface Place {
  folder: string;
  call: Caller;
  /** Repeated measurements are not a loop. */
  forget: () => void;
}

async function openSession(
  folder: string,
  options: Pick<HostOptions, "stateDir" | "plugins"> = {},
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

/** Tools without a session. */
export function openTools(folder: string): Place {
  const workspace = createHostWorkspace({ root: folder });
  const tools: AnyTool[] = [createReadTool(), createWriteTool(), createEditTool(), createApplyPatchTool()];
  const { signal } = new AbortController();
  const context = { workspace, model: { name: "", contextTokens: 128_000, images: true } } as never;
  return {
    folder,
    forget() {},
    call: async (name, args) =>
      tools.find((tool) => tool.name === name)!.execute("id", args, signal, undefined, context),
  };
}

export const session = (folder: string) => openSession(folder);
export const withJournal = (folder: string) => openSession(folder, { stateDir: createWorkFolder(folder) });
export const durable = (folder: string) => {
  const tools = [
    createWriteTool({ durable: true }),
    createEditTool({ durable: true }),
    createApplyPatchTool({ durable: true }),
  ];
  const names = tools.map(({ name }) => name);
  const use: Plugin = { ...definePlugin({ id: "durable", tools }), replaces: names };
  return openSession(folder, { plugins: [{ use, replaces: names }] });
};

/** Providers limit images; this provider accepts large images. */
export const largeImages = (folder: string) => {
  const tool = createReadTool({ imageLimits: { maxSide: 4000, maxBase64Bytes: 20 * MB } });
  const use: Plugin = { ...definePlugin({ id: "large", tools: [tool] }), replaces: ["read"] };
  return openSession(folder, { plugins: [{ use, replaces: ["read"] }] });
};

export type Open = (folder: string) => Place | Promise<Place>;

/** A page of a changed file. */
export function createReadSubject(open: Open, file: FileName): StartSubject {
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

/** The same file, with another number of lines each call. */
export function createSmallReadSubject(open: Open): StartSubject {
  return async (fixtures) => {
    const { call } = await open(fixtures);
    let limit = 1000;
    return { run: () => call("read", { path: FILES.small.name, limit: limit++ }) };
  };
}

export const PAGES: readonly Metric[] = [
  { key: "first", label: "page in the middle", unit: "time" },
  { key: "next", label: "next page", unit: "time" },
  { key: "stall", label: "longest stall of the event loop", unit: "time" },
  { key: "memory", label: "memory at its peak", unit: "bytes" },
];

/** Two pages in the middle of a large file. */
export function createPageSubject(open: Open, file: FileName): StartSubject {
  return async (fixtures) => {
    const { call } = await open(fixtures);
    const path = FILES[file].name;
    const offset = getMiddleLine(FILES[file]);
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

/** Reads the text before the page in slices, and ignores it. */
export function createBarePageSubject(file: FileName): StartSubject {
  return (fixtures) => {
    const { name, bytes } = FILES[file];
    const buffer = Buffer.allocUnsafe(MB);
    const read = (from: number, to: number) => {
      const handle = openSync(join(fixtures, name), "r");
      for (let at = from; at < to; at += buffer.length) readSync(handle, buffer, { position: at });
      closeSync(handle);
    };
    const sample = async () => {
      const first = await observe(() => read(0, bytes / 2));
      const next = await observe(() => read(bytes / 2, bytes / 2 + 1));
      return { first: first.time, next: next.time, stall: first.stall, memory: first.memory };
    };
    return { sample };
  };
}

export const IMAGE: readonly Metric[] = [
  { key: "time", label: "time", unit: "time" },
  { key: "stall", label: "longest stall of the event loop", unit: "time" },
];

export function createImageSubject(open: Open): StartSubject {
  return async (fixtures) => {
    const { call, forget } = await open(fixtures);
    const { name } = FILES.image;
    await call("read", { path: name });
    return {
      sample() {
        forget();
        touch(join(fixtures, name));
        return observe(() => call("read", { path: name }));
      },
    };
  };
}

export function createWriteSubject(open: Open): StartSubject {
  return async (fixtures) => {
    const { call } = await open(createWorkFolder(fixtures));
    let turn = 0;
    return { run: () => call("write", { path: "written.txt", content: createContent(turn++) }) };
  };
}

export function createLargeWriteSubject(open: Open): StartSubject {
  return async (fixtures) => {
    const { call } = await open(createWorkFolder(fixtures));
    const contents = largeContents();
    let turn = 0;
    return { run: () => call("write", { path: "written.txt", content: contents(turn++) }) };
  };
}

export function createEditSubject(open: Open, bytes: number): StartSubject {
  return async (fixtures) => {
    const { folder, call } = await open(createWorkFolder(fixtures));
    const work = new EditWork(folder, bytes);
    return { run: () => call("edit", { path: "edited.ts", ...work.next() }) };
  };
}

export function createPatchSubject(open: Open, size: PatchSize): StartSubject {
  return async (fixtures) => {
    const { folder, call, forget } = await open(createWorkFolder(fixtures));
    const work = new PatchWork(folder, size);
    let input = "";
    const before = () => {
      forget();
      input = work.next();
    };
    return { before, run: () => call("apply_patch", { input }) };
  };
}

/** Replaces a file atomically by renaming. */
function replace(path: string, content: string, flush = false): void {
  const file = openSync(`${path}.new`, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC);
  writeFileSync(file, content);
  if (flush) fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.new`, path);
}

export const bareWrite =
  (flush: boolean): StartSubject =>
  (fixtures) => {
    const path = join(createWorkFolder(fixtures), "written.txt");
    let turn = 0;
    return { run: () => replace(path, createContent(turn++), flush) };
  };

export const bareWriteLarge: StartSubject = (fixtures) => {
  const path = join(createWorkFolder(fixtures), "written.txt");
  const contents = largeContents();
  let turn = 0;
  return { run: () => replace(path, contents(turn++)) };
};

export const bareEdit =
  (bytes: number): StartSubject =>
  (fixtures) => {
    const work = new EditWork(createWorkFolder(fixtures), bytes);
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

/** Replaces as many texts as the patch has hunks, without their context. */
export const barePatch =
  (size: PatchSize): StartSubject =>
  (fixtures): TimedSubject => {
    const folder = createWorkFolder(fixtures);
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

export const bareRead =
  (file: FileName, encoding: "utf8" | "base64"): StartSubject =>
  (fixtures): Subject => {
    const path = join(fixtures, FILES[file].name);
    const read = () => statSync(path) && readFileSync(path, encoding);
    return file === "image" ? { sample: () => observe(read) } : { run: read };
  };
