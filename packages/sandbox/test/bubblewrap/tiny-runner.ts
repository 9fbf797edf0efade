import type { Duplex } from "node:stream";

/**
 * As much of a runner as the launcher needs: it says hello, runs scripts, and ends when its input does. Lines of
 * JSON both ways.
 */
export const TINY_RUNNER = `
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
const say = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
say({ hello: process.getuid(), started: performance.now() });
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { n, script, env, eval: code } = JSON.parse(line);
  if (code !== undefined) return say({ n, output: String(eval(code)) });
  const start = performance.now();
  const child = spawn("/bin/sh", ["-c", script], { cwd: process.cwd(), env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const one of [child.stdout, child.stderr]) one.on("data", (bytes) => (output += bytes));
  child.on("error", (error) => say({ n, output: String(error), code: -1 }));
  child.on("exit", (code, signal) => setTimeout(() => say({ n, output, code, signal, ms: performance.now() - start }), 5));
});
lines.on("close", () => process.exit(0));
`;

export interface Ran {
  output: string;
  code: number | null;
  ms: number;
}

/** Talks to the tiny runner. */
export function talk(stream: Duplex): {
  hello: Promise<{ hello: number; started: number }>;
  run(script: string, env?: Record<string, string>): Promise<Ran>;
  evaluate(code: string): Promise<string>;
} {
  const waiting = new Map<number, { resolve(value: Ran): void; reject(error: Error): void }>();
  const hello = Promise.withResolvers<{ hello: number; started: number }>();
  let count = 0;
  let rest = "";
  stream.on("data", (bytes: Buffer) => {
    rest += bytes.toString();
    const lines = rest.split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const value = JSON.parse(line);
      if ("hello" in value) hello.resolve(value);
      else {
        waiting.get(value.n)?.resolve(value);
        waiting.delete(value.n);
      }
    }
  });
  const lost = (): void => {
    for (const { reject } of waiting.values()) reject(new Error("the runner is gone"));
    waiting.clear();
  };
  stream.on("end", lost);
  stream.on("close", lost);
  stream.on("error", lost);
  const ask = (what: object): Promise<Ran> =>
    new Promise((resolve, reject) => {
      waiting.set(++count, { resolve, reject });
      stream.write(`${JSON.stringify({ n: count, ...what })}\n`);
    });
  return {
    hello: hello.promise,
    run: (script, env = {}) => ask({ script, env }),
    evaluate: async (code) => (await ask({ eval: code })).output,
  };
}
