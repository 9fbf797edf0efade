import { createBubblewrapBackend } from "@haft/sandbox";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Script } from "../../../scripts/lib/scripted-model/script.ts";
import { conditions } from "../../../test/support/build-under-test.ts";
import { findProcesses } from "../src/inspect.ts";
import { serveScripts } from "../src/model.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

export interface DemoRun {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The demo's remaining temporary files. */
  leftovers: string[];
  /** Processes that still run in its temporary folder. */
  running: ReturnType<typeof findProcesses>;
}

export interface RunSettings {
  env?: Record<string, string>;
  /** Called at the start with the temporary folder. */
  started?(child: ReturnType<typeof spawn>, temporary: string): void;
}

/** Where a sandbox works, its part must appear. */
export const isolated =
  process.env["HAFT_REQUIRE_SERVICES"] === "1" || (await createBubblewrapBackend().probe()).available;

/** All processes of a user record sandboxes here. */
function isShared(name: string): boolean {
  return /^haft-\d+-sandboxes$/.test(name);
}

/** Runs the demo as a process, without keys and with its own temporary folder. */
export async function runDemo(args: string[], { env = {}, started }: RunSettings = {}): Promise<DemoRun> {
  const temporary = await mkdtemp(join(tmpdir(), "demo-test-"));
  const child = spawn(process.execPath, [...conditions, main, ...args], {
    env: {
      PATH: process.env["PATH"],
      TMPDIR: temporary,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    // A hanging run must end before its test.
    timeout: 250_000,
    killSignal: "SIGKILL",
  });
  try {
    started?.(child, temporary);
    const [stdout, stderr, [code]] = await Promise.all([
      // A closed reader reads nothing.
      text(child.stdout).catch(() => ""),
      text(child.stderr),
      once(child, "close") as Promise<[number | null]>,
    ]);
    return {
      code,
      stdout,
      stderr,
      leftovers: (await readdir(temporary)).filter((name) => !isShared(name)),
      running: findProcesses(temporary),
    };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Runs the demo live, with `script` behind a real endpoint. */
export async function runDemoWith(
  script: Script,
  args: string[] = [],
  settings: RunSettings = {},
): Promise<DemoRun> {
  await using endpoint = await serveScripts({ scripted: script });
  const env = { OPENAI_BASE_URL: endpoint.baseUrl, OPENAI_MODEL: "scripted", ...settings.env };
  return await runDemo(args, { ...settings, env });
}
