import { createHost } from "haft";
import { spawn } from "node:child_process";
import type { Case, Suite } from "../suite.ts";
import {
  concurrent,
  GIB_OF_OUTPUT,
  holdMemory,
  measured,
  SLEEP_COMMAND,
  type Run,
} from "../work/commands.ts";

const ROOT = import.meta.dirname;

/** `exec` through the kernel, as a model's call. */
async function haft(): Promise<{ run: Run; close: () => Promise<void> }> {
  const host = await createHost({ workspaceDir: ROOT, stateDir: false, loopGuard: false });
  const session = await host.openSession();
  return {
    run: async (command) => {
      const outcome = await session.call({ name: "exec", arguments: { command, yieldMs: 120_000 } });
      if (outcome.kind !== "ok" || outcome.details["exitCode"] !== 0)
        throw new Error(JSON.stringify(outcome));
    },
    close: () => host.close(),
  };
}

/** A bare spawn from Node that counts the output. */
const bare: Run = (command) =>
  new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`exit code ${code}`))));
  });

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
    name: "200 commands at once",
    about: `Each is \`${SLEEP_COMMAND}\`; the time is beyond that.`,
    metrics: [
      { key: "beyond", label: "beyond their sleep", unit: "time" },
      { key: "stall", label: "longest stall of the event loop", unit: "time" },
    ],
    subjects: {
      Haft: async () => {
        const { run, close } = await haft();
        await run("true");
        return { sample: () => concurrent(run), close };
      },
      limit: () => ({ sample: () => concurrent(bare) }),
    },
    peers: { pi: "twoHundred" },
  },
  {
    name: "1 GB of output",
    about: "limit: read from the pipe and thrown away.",
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
        return { sample: () => measured(() => run(GIB_OF_OUTPUT)), close };
      },
      limit: () => ({ sample: () => measured(() => bare(GIB_OF_OUTPUT)) }),
    },
    peers: { pi: "oneGigabyte" },
  },
];

export const suite: Suite = { name: "commands", title: "Commands", cases };
