import { createHost } from "haft";
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Case, Suite } from "../suite.ts";
import {
  runConcurrent,
  exitToReport,
  GIB_OUTPUT_COMMAND,
  holdMemory,
  runInBackground,
  measureWork,
  SLEEP_COMMAND,
  type Run,
} from "../work/commands.ts";

const ROOT = import.meta.dirname;

/** `exec` through the kernel. */
async function haft(): Promise<{
  run: Run;
  runAll: (command: string, count: number) => Promise<void>;
  close: () => Promise<void>;
}> {
  let ended = () => {};
  const host = await createHost({
    workspaceDir: ROOT,
    stateDir: false,
    loopGuard: false,
    onCommandExit: () => ended(),
  });
  const session = await host.openSession();
  const call = async (args: Record<string, unknown>) => {
    const outcome = await session.call({ name: "exec", arguments: args });
    if (outcome.kind !== "ok") throw new Error(JSON.stringify(outcome));
    return outcome;
  };
  return {
    async run(command) {
      const { details, content } = await call({ command, yieldMs: 120_000 });
      if (details["exitCode"] !== 0) throw new Error(JSON.stringify(details));
      return JSON.stringify(content);
    },
    async runAll(command, count) {
      const all = new Promise<void>((resolve) => {
        let left = count;
        ended = () => void (--left === 0 && resolve());
      });
      await Promise.all(Array.from({ length: count }, () => call({ command, background: true })));
      await all;
    },
    close: () => host.close(),
  };
}

/** A bare spawn that stores the start of the output. */
const bareIn =
  (shell: string): Run =>
  (command) =>
    new Promise((resolve, reject) => {
      const child = spawn(shell, ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
      let output = "";
      child.stdout.on("data", (bytes: Buffer) => {
        if (output.length < 100) output += bytes.toString("latin1", 0, 100);
      });
      child.stderr.resume();
      child.on("error", reject);
      child.on("close", (code) => (code === 0 ? resolve(output) : reject(new Error(`exit code ${code}`))));
    });
const bare = bareIn("/bin/sh");

/** Milliseconds between a quick model's calls. */
const PAUSE_MS = 5;

const oneCommand = (name: string, about: string, prepare?: () => void): Case => ({
  name,
  about,
  ...(prepare === undefined && { chart: "Run a command" }),
  fresh: prepare !== undefined,
  subjects: {
    Haft: async () => {
      const { run, close } = await haft();
      await run("true");
      prepare?.();
      return { run: () => run("true"), close };
    },
    limit: () => {
      prepare?.();
      return { run: () => bare("true") };
    },
  },
  peers: { pi: prepare ? "runTrueInLargeHost" : "runTrue" },
});

const cases: Case[] = [
  oneCommand("run true", "From the call to its result. limit: `/bin/sh -c true` from Node."),
  oneCommand(
    "run true, in a host that holds 1 GB",
    "Node copies its page tables at every spawn.",
    holdMemory,
  ),
  {
    name: `run true, ${PAUSE_MS} ms apart`,
    about: "Like consecutive calls of a model.",
    subjects: {
      Haft: async () => {
        const { run, close } = await haft();
        await run("true");
        return { before: () => sleep(PAUSE_MS), run: () => run("true"), close };
      },
      limit: () => ({ before: () => sleep(PAUSE_MS), run: () => bare("true") }),
    },
    peers: { pi: "runTrueApart" },
  },
  {
    name: "from the end of a command to its result",
    about: "The command ends by printing the time. limit: until Node reports the end.",
    metrics: [{ key: "time", label: "", unit: "time" }],
    rounds: 40,
    subjects: {
      Haft: async () => {
        const { run, close } = await haft();
        await run("true");
        return { sample: () => exitToReport(run), close };
      },
      limit: () => ({ sample: () => exitToReport(bareIn("/bin/bash")) }),
    },
    peers: { pi: "exitToResult" },
  },
  {
    name: "200 commands in the background",
    about: "Each is `sleep 1; echo done`. Time until the host knows the last end, minus one second.",
    metrics: [
      { key: "beyond", label: "time", unit: "time" },
      { key: "stall", label: "longest stall of the event loop", unit: "time" },
    ],
    rounds: 5,
    subjects: {
      Haft: async () => {
        const { run, runAll, close } = await haft();
        await run("true");
        return { sample: () => runInBackground(runAll), close };
      },
      limit: () => ({
        sample: () =>
          runInBackground(async (command, count) => {
            await Promise.all(Array.from({ length: count }, () => bare(command)));
          }),
      }),
    },
  },
  {
    name: "200 commands at once",
    about: `Each is \`${SLEEP_COMMAND}\`. Time minus the sleep.`,
    metrics: [
      { key: "beyond", label: "time", unit: "time" },
      { key: "stall", label: "longest stall of the event loop", unit: "time" },
    ],
    subjects: {
      Haft: async () => {
        const { run, close } = await haft();
        await run("true");
        return { sample: () => runConcurrent(run), close };
      },
      limit: () => ({ sample: () => runConcurrent(bare) }),
    },
    peers: { pi: "twoHundred" },
  },
  {
    name: "1 GB of output",
    about: "limit: read from the pipe and discarded.",
    rounds: 2,
    metrics: [
      { key: "time", label: "time", unit: "time" },
      { key: "stall", label: "longest stall of the event loop", unit: "time" },
      { key: "memory", label: "growth of the host's memory", unit: "bytes" },
    ],
    subjects: {
      Haft: async () => {
        const { run, close } = await haft();
        await run("true");
        return { sample: () => measureWork(() => run(GIB_OUTPUT_COMMAND)), close };
      },
      limit: () => ({ sample: () => measureWork(() => bare(GIB_OUTPUT_COMMAND)) }),
    },
    peers: { pi: "oneGigabyte" },
  },
];

export const suite: Suite = { name: "commands", title: "Commands", cases };
