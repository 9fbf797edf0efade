import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { endTree, TREE_VARIABLE } from "../end-tree.ts";
import { LIMIT_MS } from "./guard-stage.ts";

/** Runs a program during a trial, resolves when it is ready, and later ends its process tree. */
export async function runCompanion(
  bin: string,
  { args, ready }: { args: readonly string[]; ready: RegExp },
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<AsyncDisposable> {
  const mark = randomUUID();
  const child = spawn(bin, args, {
    cwd,
    env: { ...env, [TREE_VARIABLE]: mark },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  let failed: Error | undefined;
  child.once("error", (error) => (failed = error));
  const end = async () => {
    const told = await endTree(child, mark);
    if (told !== undefined) console.error(told);
  };
  const until = Date.now() + LIMIT_MS;
  while (!ready.test(said)) {
    if (failed !== undefined) throw failed;
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > until) {
      await end();
      throw new Error(`${bin} ${args.join(" ")} did not become ready:\n${said.slice(-1500)}`);
    }
    await sleep(100);
  }
  return { [Symbol.asyncDispose]: end };
}
