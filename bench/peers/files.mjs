import { createEditTool, createReadTool, createWriteTool } from "@earendil-works/pi-coding-agent";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { applyDiff } from "@openai/agents";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createContent,
  EditWork,
  FILES,
  MB,
  getMiddleLine,
  observe,
  createWorkFolder,
  PatchWork,
  touch,
} from "../work/files.ts";

// pi: its tools in this process.

const signal = new AbortController().signal;

async function pi(tool, args) {
  const result = await tool.execute("id", args, signal);
  if (result.isError) throw new Error(JSON.stringify(result.content));
  return result;
}

export function piReadSmall(fixtures) {
  const tool = createReadTool(fixtures);
  let limit = 1000;
  return { run: () => pi(tool, { path: FILES.small.name, limit: limit++ }) };
}

export function piReadMedium(fixtures) {
  const tool = createReadTool(fixtures);
  const path = FILES.medium.name;
  return { before: () => touch(join(fixtures, path)), run: () => pi(tool, { path }) };
}

async function piPages(fixtures, file) {
  const tool = createReadTool(fixtures);
  const path = file.name;
  const line = getMiddleLine(file);
  await pi(tool, { path: FILES.small.name });
  return {
    async sample() {
      const first = await observe(() => pi(tool, { path, offset: line, limit: 100 }));
      const next = await observe(() => pi(tool, { path, offset: line + 100, limit: 100 }));
      const stall = Math.max(first.stall, next.stall);
      return { first: first.time, next: next.time, stall, memory: Math.max(first.memory, next.memory) };
    },
  };
}

export const piPagesLarge = (fixtures) => piPages(fixtures, FILES.large);
export const piPagesHuge = (fixtures) => piPages(fixtures, FILES.huge);

export function piImage(fixtures) {
  const tool = createReadTool(fixtures);
  return { sample: () => observe(() => pi(tool, { path: FILES.image.name })) };
}

export function piWrite(fixtures) {
  const tool = createWriteTool(createWorkFolder(fixtures));
  let turn = 0;
  return { run: () => pi(tool, { path: "written.txt", content: createContent(turn++) }) };
}

function piEdit(fixtures, bytes) {
  const folder = createWorkFolder(fixtures);
  const tool = createEditTool(folder);
  const work = new EditWork(folder, bytes);
  return { run: () => pi(tool, { path: "edited.ts", edits: [work.next()] }) };
}

export const piEditSmall = (fixtures) => piEdit(fixtures, MB);
export const piEditLarge = (fixtures) => piEdit(fixtures, 20 * MB);

// MCP: the file system server, over standard input and output.

async function mcp(folder) {
  const server = join(
    import.meta.dirname,
    "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [server, folder],
    stderr: "ignore",
  });
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport);
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError) throw new Error(JSON.stringify(result.content).slice(0, 200));
    return result;
  };
  return { call, close: () => client.close() };
}

async function mcpRead(fixtures, file) {
  const { call, close } = await mcp(fixtures);
  const path = join(fixtures, file.name);
  return { close, run: () => call("read_text_file", { path }) };
}

export const mcpReadSmall = (fixtures) => mcpRead(fixtures, FILES.small);
export const mcpReadMedium = (fixtures) => mcpRead(fixtures, FILES.medium);

export async function mcpWrite(fixtures) {
  const folder = createWorkFolder(fixtures);
  const { call, close } = await mcp(folder);
  const path = join(folder, "written.txt");
  let turn = 0;
  return { close, run: () => call("write_file", { path, content: createContent(turn++) }) };
}

async function mcpEdit(fixtures, bytes) {
  const folder = createWorkFolder(fixtures);
  const { call, close } = await mcp(folder);
  const work = new EditWork(folder, bytes);
  return { close, run: () => call("edit_file", { path: work.path, edits: [work.next()] }) };
}

export const mcpEditSmall = (fixtures) => mcpEdit(fixtures, MB);
export const mcpEditLarge = (fixtures) => mcpEdit(fixtures, 20 * MB);

// OpenAI Agents: its function for diffs; reading and writing are the application's.

function agentsPatch(fixtures, size) {
  const folder = createWorkFolder(fixtures);
  const work = new PatchWork(folder, size);
  let diff = "";
  return {
    before: () => (diff = work.nextDiff()),
    run() {
      for (const path of work.paths) {
        const at = join(folder, path);
        writeFileSync(at, applyDiff(readFileSync(at, "utf8"), diff));
      }
    },
  };
}

export const agentsPatchMany = (fixtures) => agentsPatch(fixtures, { files: 100, lines: 200, hunks: 3 });
export const agentsPatchLarge = (fixtures) =>
  agentsPatch(fixtures, { files: 1, lines: (5 * MB) / 64, hunks: 500 });

// Codex: its program under the name apply_patch, with a process for each patch.

function codexPatch(fixtures, size) {
  const folder = createWorkFolder(fixtures);
  const work = new PatchWork(folder, size);
  const vendor = join(
    import.meta.dirname,
    `node_modules/@openai/codex-${process.platform}-${process.arch}/vendor`,
  );
  const program = join(folder, "apply_patch");
  symlinkSync(join(vendor, readdirSync(vendor)[0], "bin/codex"), program);
  let input = "";
  return {
    before: () => (input = work.next()),
    run() {
      const { status, stderr } = spawnSync(program, { cwd: folder, input });
      if (status !== 0) throw new Error(String(stderr).slice(0, 200));
    },
  };
}

export const codexPatchMany = (fixtures) => codexPatch(fixtures, { files: 100, lines: 200, hunks: 3 });
export const codexPatchLarge = (fixtures) =>
  codexPatch(fixtures, { files: 1, lines: (5 * MB) / 64, hunks: 500 });
