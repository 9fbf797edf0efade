import { safePath } from "@haft/system";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { type Greeting, readGreeting } from "./remote-start.ts";

const MAX_STDERR = 16_000;
const MAX_NOISE = 256 * 1024;

export class SshClient {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exit: Promise<void>;
  stderr = "";
  exitCode: number | undefined;
  spawnError: Error | undefined;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    child.stdin.on("error", () => {});
    child.stderr.on("data", (bytes: Buffer) => {
      this.stderr = (this.stderr + bytes.toString()).slice(-MAX_STDERR);
    });
    this.exit = new Promise((resolve) => {
      child.once("error", (error) => {
        this.spawnError = error;
        resolve();
      });
      child.once("close", (code) => {
        this.exitCode = code ?? undefined;
        resolve();
      });
    });
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }

  /** Leaves the rest in the stream. `undefined` if the stream ends first. */
  async greeting(): Promise<Greeting | undefined> {
    const { stdout } = this.child;
    let received = Buffer.alloc(0);
    return new Promise((resolve) => {
      const done = (greeting: Greeting | undefined): void => {
        stdout.pause();
        stdout.off("data", take);
        resolve(greeting);
      };
      const take = (bytes: Buffer): void => {
        received = Buffer.concat([received, bytes]);
        for (let end = received.indexOf(10); end !== -1; end = received.indexOf(10)) {
          const greeting = readGreeting(received.toString("utf8", 0, end));
          received = received.subarray(end + 1);
          if (greeting === undefined) continue;
          done(greeting);
          if (received.length > 0) stdout.unshift(received);
          return;
        }
        if (received.length > MAX_NOISE) {
          this.stderr += "\nThe login shell printed too much before the start of the runner.";
          this.kill();
        }
      };
      stdout.on("data", take);
      this.child.once("close", () => done(undefined));
      this.child.once("error", () => done(undefined));
    });
  }
}

/** Only variables for finding keys: the client's configuration could send others to the server. */
export function clientEnvironment(): Record<string, string> {
  const variables = ["HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR"].map((name) => [
    name,
    process.env[name],
  ]);
  const present = variables.filter(([, value]) => value !== undefined) as [string, string][];
  return { ...Object.fromEntries(present), PATH: safePath(), LC_ALL: "C" };
}
