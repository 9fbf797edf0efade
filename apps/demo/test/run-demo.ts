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
  /** What the demo left among the temporary files. */
  leftovers: string[];
  /** What still runs in its temporary folder. */
  running: ReturnType<typeof findProcesses>;
}

export interface RunSettings {
  env?: Record<string, string>;
  /** Called once it runs; told the folder it uses for temporary files. */
  started?(child: ReturnType<typeof spawn>, temporary: string): void;
}

/** Is there a sandbox on this machine? Where one has to be, its part has to be shown. */
export const isolated =
  process.env["HAFT_REQUIRE_SERVICES"] === "1" || (await createBubblewrapBackend().probe()).available;

/** Where all processes of a user write down their sandboxes; it stays. */
function isShared(name: string): boolean {
  return /^haft-\d+-sandboxes$/.test(name);
}

/** Runs the demo as its own process, with no key of this machine and a temporary folder of its own. */
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
    // Ends before the test's own limit does: a run that hangs must not outlive its test.
    timeout: 250_000,
    killSignal: "SIGKILL",
  });
  try {
    started?.(child, temporary);
    const [stdout, stderr, [code]] = await Promise.all([
      // A reader that went away in the middle has read nothing.
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

/** Runs the demo live, with `script` as the model behind a real endpoint. */
export async function runDemoWith(
  script: Script,
  args: string[] = [],
  settings: RunSettings = {},
): Promise<DemoRun> {
  await using endpoint = await serveScripts({ scripted: script });
  const env = { OPENAI_BASE_URL: endpoint.baseUrl, OPENAI_MODEL: "scripted", ...settings.env };
  return await runDemo(args, { ...settings, env });
}
