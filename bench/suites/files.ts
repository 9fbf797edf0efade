import type { Case, StartSubject, Suite } from "../suite.ts";
import {
  bareEdit,
  createBarePageSubject,
  barePatch,
  bareRead,
  bareWrite,
  bareWriteLarge,
  durable,
  createEditSubject,
  IMAGE,
  largeImages,
  PAGES,
  createPageSubject,
  createPatchSubject,
  createReadSubject,
  createSmallReadSubject,
  createImageSubject,
  session,
  openTools,
  withJournal,
  createWriteSubject,
  createLargeWriteSubject,
  type Open,
} from "../work/file-subjects.ts";
import { makeFiles, MB } from "../work/files.ts";

const manyFiles = { files: 100, lines: 200, hunks: 3 };
const largeFile = { files: 1, lines: (5 * MB) / 64, hunks: 500 };

/** A change in a session, without and with a host's additions. */
function changes(change: (open: Open) => StartSubject): Record<string, StartSubject> {
  return {
    Haft: change(session),
    "Haft, with undo": change(withJournal),
    "Haft, flushed to disk": change(durable),
    "Haft, tool alone": change(openTools),
  };
}

const cases: readonly Case[] = [
  {
    name: "read 2 KB",
    about: "Haft: `session.call()`, also in all other rows. limit: `stat` and `readFileSync`.",
    chart: "Read a file of 2 KB",
    subjects: {
      Haft: createSmallReadSubject(session),
      "Haft, tool alone": createSmallReadSubject(openTools),
      limit: bareRead("small", "utf8"),
    },
    peers: { pi: "piReadSmall", "MCP server-filesystem": "mcpReadSmall" },
  },
  {
    name: "read 10 MB of text, first page",
    about:
      "Includes the number of lines. The file is new each time. limit: `readFileSync` of the whole file.",
    subjects: { Haft: createReadSubject(session, "medium"), limit: bareRead("medium", "utf8") },
    peers: { pi: "piReadMedium", "MCP server-filesystem": "mcpReadMedium" },
  },
  ...(["large", "huge"] as const).map((file) => ({
    name: file === "large" ? "256 MB of text" : "1 GB of text",
    about: "limit: reading the same number of bytes.",
    warmUp: "read a small file",
    ...(file === "large" && { chart: "Read a page in the middle of 256 MB" }),
    metrics: PAGES,
    rounds: 5,
    fresh: true,
    subjects: { Haft: createPageSubject(session, file), limit: createBarePageSubject(file) },
    peers: { pi: `piPages${file === "large" ? "Large" : "Huge"}` },
  })),
  {
    name: "10 MB PNG, passed through",
    about: "For a provider that accepts such images. limit: base64 encoding.",
    metrics: IMAGE,
    rounds: 9,
    subjects: { Haft: createImageSubject(largeImages), limit: bareRead("image", "base64") },
  },
  {
    name: "10 MB PNG, shrunk",
    metrics: IMAGE,
    rounds: 3,
    subjects: { Haft: createImageSubject(session) },
    peers: { pi: "piImage" },
  },
  {
    name: "write 1 KB",
    about: "Replaces a file and returns a diff. pi and MCP are not atomic. limit: a temporary file, renamed.",
    chart: "Write a file of 1 KB",
    subjects: {
      ...changes(createWriteSubject),
      limit: bareWrite(false),
      "limit, flushed to disk": bareWrite(true),
    },
    peers: { pi: "piWrite", "MCP server-filesystem": "mcpWrite" },
  },
  {
    name: "write 10 MB",
    about: "Replaces a file of the same size. limit: a temporary file, renamed.",
    rounds: 9,
    subjects: { ...changes(createLargeWriteSubject), limit: bareWriteLarge },
  },
  {
    name: "edit one line of 1 MB",
    about: "limit: read, replace, write a temporary file, rename.",
    subjects: { ...changes((open) => createEditSubject(open, MB)), limit: bareEdit(MB) },
    peers: { pi: "piEditSmall", "MCP server-filesystem": "mcpEditSmall" },
  },
  {
    name: "edit one line of 20 MB",
    rounds: 5,
    subjects: { ...changes((open) => createEditSubject(open, 20 * MB)), limit: bareEdit(20 * MB) },
    peers: { pi: "piEditLarge", "MCP server-filesystem": "mcpEditLarge" },
  },
  {
    name: "apply_patch: 100 files, 3 hunks each",
    chart: "Patch 100 files in 3 places each",
    about:
      "OpenAI Agents: `applyDiff`, with separate file writes. Codex: its program `apply_patch`. limit: rewritten and renamed files.",
    rounds: 9,
    subjects: { ...changes((open) => createPatchSubject(open, manyFiles)), limit: barePatch(manyFiles) },
    peers: { "OpenAI Agents applyDiff": "agentsPatchMany", Codex: "codexPatchMany" },
  },
  {
    name: "apply_patch: 5 MB, 500 hunks",
    rounds: 9,
    subjects: { ...changes((open) => createPatchSubject(open, largeFile)), limit: barePatch(largeFile) },
    peers: { "OpenAI Agents applyDiff": "agentsPatchLarge", Codex: "codexPatchLarge" },
  },
];

export const suite: Suite = { name: "files", title: "Files", prepare: makeFiles, cases };
