import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { LIMIT_MS } from "./guard-stage.ts";

/** A program that has to run while a client is played: starts it, and resolves when it is ready. It ends with all that it started. */
export async function runBeside(
  bin: string,
  { args, ready }: { args: readonly string[]; ready: RegExp },
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<AsyncDisposable> {
  const child = spawn(bin, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const closed = new Promise((resolve) => child.once("close", resolve));
  const end = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await closed;
  };
  const until = Date.now() + LIMIT_MS;
  while (!ready.test(said)) {
    if (child.exitCode !== null || Date.now() > until) {
      await end();
      throw new Error(`${bin} ${args.join(" ")} did not become ready:\n${said.slice(-1500)}`);
    }
    await sleep(100);
  }
  return { [Symbol.asyncDispose]: end };
}
