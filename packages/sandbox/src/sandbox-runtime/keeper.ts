import type * as Srt from "@anthropic-ai/sandbox-runtime";
/** A separate program, because srt supports one configuration per process. Ends with the command, or when the host closes its file. */
// Starts programs directly; the host has checked them.
import { spawn } from "node:child_process";
import { enableCompileCache, flushCompileCache } from "node:module";
import { Socket } from "node:net";
import { createInterface } from "node:readline";

export interface KeeperOrder {
  module: string;
  /** The host's compile cache, also for srt, while the keeper runs as the host's user. */
  compiled?: string;
  config: object;
  shell: string;
  command: string;
  identity?: { uid: number; gid: number };
  /** Around srt's command (`"$@"`), outside, as the identity. */
  around: string;
  entries: readonly number[];
}

export interface KeeperFailure {
  failed: "module" | "configuration" | "start";
  message: string;
}

class Failed extends Error {
  readonly failure: KeeperFailure;

  constructor(failed: KeeperFailure["failed"], thrown: unknown) {
    super();
    const { issues, message } = thrown as Error & { issues?: { path: unknown[]; message: string }[] };
    const problems = issues?.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
    this.failure = { failed, message: problems ?? message };
  }
}

const host = new Socket({ fd: Number(process.argv[2]) });
// oxlint-disable-next-line unicorn/no-process-exit -- a program; proxies that are still busy must not keep it
const exit = (code: number): never => process.exit(code);
let end = (): void => exit(1);
host.on("error", () => end());
host.once("close", () => end());
createInterface({ input: host }).once("line", (line) => {
  keep(JSON.parse(line) as KeeperOrder).then(exit, (thrown: unknown) => {
    const { failure } = thrown instanceof Failed ? thrown : new Failed("start", thrown);
    host.end(`${JSON.stringify(failure)}\n`, () => exit(1));
  });
});

async function keep({
  module,
  compiled,
  config,
  shell,
  command,
  identity,
  around,
  entries,
}: KeeperOrder): Promise<number> {
  if (compiled !== undefined) enableCompileCache(compiled);
  const { SandboxManager: manager, SandboxRuntimeConfigSchema: schema } = await tried(
    "module",
    async () => (await import(module)) as typeof Srt,
  );
  if (compiled !== undefined) flushCompileCache();
  if (identity !== undefined) {
    process.setgroups!([]);
    process.setgid!(identity.gid);
    process.setuid!(identity.uid);
  }
  await manager.initialize(await tried("configuration", () => schema.parse(config)));
  const { argv, env } = await manager.wrapWithSandboxArgv(command, "sh");
  const child = spawn(shell, ["-c", around, "haft-sandbox", ...argv], {
    // For killing the whole group.
    detached: true,
    env,
    stdio: ["inherit", "inherit", "inherit", ...entries],
  });
  end = () => void (child.pid !== undefined && process.kill(-child.pid, "SIGKILL"));
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode, signal) => resolve(exitCode ?? (signal === "SIGKILL" ? 137 : 1)));
  });
  end = () => exit(code);
  manager.cleanupAfterCommand();
  await manager.reset();
  return code;
}

async function tried<Result>(
  failed: KeeperFailure["failed"],
  run: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (thrown) {
    throw new Failed(failed, thrown);
  }
}
