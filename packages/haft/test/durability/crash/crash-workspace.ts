import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { haftCommand } from "../../../../../test/support/build-under-test.ts";

const DIE_AT = fileURLToPath(new URL("die-at.ts", import.meta.url));

/** A tool that acts beyond its workspace: what it has sent cannot be taken back. */
const PLUGIN = `import { appendFileSync } from "node:fs";
import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";

export default definePlugin({
  id: "post",
  tools: [
    defineTool({
      name: "post_send",
      description: "Sends a letter.",
      parameters: Type.Object({ letter: Type.String() }),
      effects: ["message"],
      async execute(_id, { letter }) {
        appendFileSync(new URL("sent", import.meta.url), letter + "\\n");
        return { content: [text("sent")], details: {} };
      },
    }),
  ],
});
`;

/** One conversation's folders: a workspace, a configuration with a plugin, and the state that outlives its hosts. */
export class CrashWorkspace {
  readonly base: string = realpathSync(mkdtempSync(join(tmpdir(), "haft-crash-")));
  readonly workspace: string = join(this.base, "workspace");
  readonly state: string = join(this.base, "state");
  readonly #configuration = join(this.base, "configuration");

  constructor() {
    for (const folder of [this.workspace, this.#configuration]) mkdirSync(folder);
    writeFileSync(join(this.#configuration, "post.ts"), PLUGIN);
    writeFileSync(join(this.#configuration, "haft.config.json"), JSON.stringify({ plugins: ["./post.ts"] }));
    writeFileSync(join(this.workspace, "edited.txt"), "first\nlast\n");
    writeFileSync(join(this.workspace, "patched.txt"), "first\nlast\n");
  }

  /** Starts the command. */
  start(args: readonly string[], dieAt?: string) {
    const [program = "", ...before] = haftCommand;
    const preload = dieAt === undefined ? [] : ["--import", DIE_AT];
    const config = join(this.#configuration, "haft.config.json");
    const env = {
      ...process.env,
      HOME: this.base,
      HAFT_STATE_DIR: this.state,
      HAFT_CONFIG: config,
      HAFT_POLICY: "",
      HAFT_ADMIN_POLICY: "",
      NODE_NO_WARNINGS: "1",
      ...(dieAt !== undefined && { HAFT_DIE_AT: dieAt }),
    };
    return spawn(program, [...preload, ...before, ...args], { cwd: this.workspace, env, stdio: "pipe" });
  }

  /** Runs the command to its end. */
  async run(args: readonly string[], killAfterMs?: number): Promise<{ code: number | null; said: string }> {
    const child = this.start(args);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stdin.end();
    const timer =
      killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    const [code] = (await once(child, "close")) as [number | null];
    clearTimeout(timer);
    return { code, said: output };
  }

  /** How often each name was noted by commands, by the plugin, and by changes of files. */
  effects(): Map<string, number> {
    const counts = new Map<string, number>();
    const done = readdirSync(this.workspace).filter((name) => name.startsWith("done."));
    const files = [...done, "edited.txt", "patched.txt"].map((name) => join(this.workspace, name));
    for (const file of [...files, join(this.#configuration, "sent")]) {
      if (!existsSync(file)) continue;
      for (const line of readFileSync(file, "utf8").split("\n"))
        counts.set(line, (counts.get(line) ?? 0) + 1);
    }
    return counts;
  }

  /** Everything that a dead host had started ends with it. */
  async quiet(): Promise<void> {
    for (let tries = 0; ; tries++) {
      const left = this.#processes();
      if (left.length === 0) return;
      if (tries > 800) throw new Error(`processes were left: ${left.join("; ")}`);
      await sleep(25);
    }
  }

  #processes(): string[] {
    const left: string[] = [];
    for (const pid of readdirSync("/proc")) {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
        const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
        if (line.includes(this.base) || environment.includes(`HAFT_STATE_DIR=${this.state}`))
          left.push(`${pid} ${line}`);
      } catch {
        // It ended meanwhile.
      }
    }
    return left;
  }
}

/** The runner of a host, where it has one now. */
export function findRunner(host: number): number | undefined {
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      if (parent === host && readFileSync(`/proc/${pid}/cmdline`, "latin1").match(/runner|cmdkeeper/))
        return Number(pid);
    } catch {
      // It ended meanwhile.
    }
  }
  return undefined;
}
