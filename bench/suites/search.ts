import { createFindTool, createGrepTool } from "@haft/tools-fs";
import { createHostWorkspace } from "@haft/workspace";
import { createHost } from "haft";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Case, Metric, StartSubject, Suite } from "../suite.ts";
import { observe } from "../work/files.ts";
import { FIND, makeSearchTree, SEARCHES, type SearchName } from "../work/search-tree.ts";

const METRICS: readonly Metric[] = [
  { key: "time", label: "", unit: "time" },
  { key: "stall", label: "longest stall of the event loop", unit: "time" },
];

/** The first search starts the threads. */
function createSearch(tool: "grep" | "find", args: object): StartSubject {
  return async (fixtures) => {
    const host = await createHost({ workspaceDir: fixtures, stateDir: false });
    const session = await host.openSession();
    const call = async () => {
      session.resetLoopGuard();
      const outcome = await session.call({ name: tool, arguments: args });
      if (outcome.kind !== "ok") throw new Error(JSON.stringify(outcome.content));
    };
    await call();
    return { sample: () => observe(call), close: () => host.close() };
  };
}

function createToolSearch(tool: "grep" | "find", args: object): StartSubject {
  return async (fixtures) => {
    const context = {
      workspace: createHostWorkspace({ root: fixtures }),
      model: { name: "", contextTokens: 128_000, images: true },
    } as never;
    const made = tool === "grep" ? createGrepTool() : createFindTool();
    const call = () => made.execute("id", args as never, new AbortController().signal, undefined, context);
    await call();
    return { sample: () => observe(call) };
  };
}

const run = promisify(execFile);

/** The program as a person starts it. Its exit code 1 means that nothing was found. */
function createProgram(program: string, words: readonly string[]): StartSubject {
  return (fixtures) => ({
    sample: () =>
      observe(() =>
        run(program, words, { cwd: fixtures, maxBuffer: 1 << 28 }).catch((thrown: unknown) => {
          if ((thrown as { code?: unknown }).code !== 1) throw thrown;
        }),
      ),
  });
}

function grepCase(name: string, search: SearchName, chart?: string): Case {
  const args: { pattern: string; glob?: string } = SEARCHES[search];
  const words = ["--no-config", ...(args.glob === undefined ? [] : ["--glob", args.glob]), args.pattern, "."];
  return {
    name,
    metrics: METRICS,
    rounds: 7,
    ...(chart !== undefined && { chart }),
    about: "limit: ripgrep alone, as a program.",
    subjects: {
      Haft: createSearch("grep", args),
      "Haft, tool alone": createToolSearch("grep", args),
      ...(search !== "many" && { limit: createProgram("rg", words) }),
    },
    peers: { pi: `piGrep${search[0]!.toUpperCase()}${search.slice(1)}` },
  };
}

const cases: readonly Case[] = [
  grepCase("grep: no match in 40,000 files", "none", "Search 40,000 files, no match"),
  grepCase("grep: 60 matches in 40,000 files", "needles"),
  grepCase("grep: only *.md, 1 file in 10", "markdown"),
  grepCase("grep: first 100 of many matches", "many"),
  grepCase("grep: an expression with a fixed part", "expression"),
  grepCase("grep: an expression without a fixed part", "digits"),
  {
    name: "find: one name in 40,000",
    about: "limit: ripgrep lists its files.",
    metrics: METRICS,
    rounds: 7,
    chart: "Find one name among 40,000 files",
    subjects: {
      Haft: createSearch("find", FIND.name),
      "Haft, tool alone": createToolSearch("find", FIND.name),
      limit: createProgram("rg", ["--no-config", "--files", "--glob", FIND.name.pattern, "."]),
    },
    peers: { pi: "piFindName" },
  },
  {
    name: "find: first 1,000",
    metrics: METRICS,
    rounds: 7,
    subjects: {
      Haft: createSearch("find", FIND.thousand),
      "Haft, tool alone": createToolSearch("find", FIND.thousand),
    },
    peers: { pi: "piFindThousand" },
  },
];

export const suite: Suite = { name: "search", title: "Search", prepare: makeSearchTree, cases };
