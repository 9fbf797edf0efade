import { createDockerBackend, openSandbox, type SandboxBackend, type SandboxSpec } from "@haft/sandbox";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Engine } from "../../packages/sandbox/src/docker/engine/engine.ts";
import { createTar } from "../../packages/sandbox/src/docker/host-usr-image.ts";
import { attempts } from "../../packages/sandbox/test/escapes/attempts.ts";
import {
  ATTEMPT_LIMITS,
  openEscapeFixture,
  SANDBOX_READ_ONLY_PATH,
} from "../../packages/sandbox/test/escapes/fixture.ts";
import { runAttempt, runInWorkspace } from "../../packages/sandbox/test/escapes/run-attempts.ts";
import { UNENFORCED_ATTEMPTS } from "../../packages/sandbox/test/escapes/unenforced-attempts.ts";
import { root } from "./workspace.ts";

/** `failed` describes the failure. */
export interface EngineCheck {
  name: string;
  message: string;
  failed?: true;
}

type Sandbox = Awaited<ReturnType<typeof openSandbox>>;
const GONE_MS = 15_000;

/** Runs all checks of the Engine at a socket. */
export async function checkEngine(socketPath: string): Promise<EngineCheck[]> {
  const backend = createDockerBackend({ socketPath });
  const folder = mkdtempSync(join(tmpdir(), "haft-engine-"));
  const found: EngineCheck[] = [];
  const check = async (name: string, run: () => Promise<string>): Promise<void> => {
    try {
      found.push({ name, message: await run() });
    } catch (thrown) {
      found.push({ name, message: (thrown as Error).message.slice(0, 300), failed: true });
    }
    const { message: said, failed } = found.at(-1)!;
    console.error(`${failed ? "FAILED" : "ok    "}  ${name}: ${said}`);
  };
  try {
    await check("a sandbox", () => probed(backend));
    for (const [name, run] of Object.entries(checks))
      await check(name, () => run({ backend, folder, socketPath }));
    await check("attempts to get out", () => tried(backend));
    await check("nothing is left", async () => {
      const left = await backend.list();
      if (left.length > 0) throw new Error(`${left.length} containers are`);
      return "no container";
    });
  } finally {
    await backend.close?.();
    rmSync(folder, { recursive: true, force: true });
  }
  return found;
}

interface Place {
  backend: SandboxBackend;
  folder: string;
  socketPath: string;
}

async function probed(backend: SandboxBackend): Promise<string> {
  const { available, reason, startMs = 0, details } = await backend.probe();
  if (!available) throw new Error(reason);
  return `in ${Math.round(startMs)} ms; runner ${details["runner"]?.split(":")[0]}; ${details["security"]}`;
}

const checks: Record<string, (place: Place) => Promise<string>> = {
  files: ({ backend, folder }) =>
    inSandbox(backend, specOf(folder), async (sandbox) => {
      await sandbox.fs.write("inside", Buffer.from("inside\n"));
      writeFileSync(join(folder, "outside"), "outside\n");
      const { uid } = statSync(join(folder, "inside"));
      const read = Buffer.from((await sandbox.fs.read("outside")).bytes).toString();
      expect(read, "outside\n");
      expect(readFileSync(join(folder, "inside"), "utf8"), "inside\n");
      expect(uid, statSync(folder).uid);
      return "read and written, and of the owner of the workspace";
    }),
  commands: ({ backend, folder }) =>
    inSandbox(backend, specOf(folder), async (sandbox) => {
      const { text, exitCode } = await ran(sandbox, "id -u; grep CapEff /proc/self/status; exit 7");
      expect(exitCode, 7);
      if (!/CapEff:\s*0+\n/.test(text)) throw new Error(text);
      expect((await ran(sandbox, "printf x", { pty: { cols: 80, rows: 24 } })).text, "x");
      return `as user ${text.split("\n")[0]}, without capabilities, also in a terminal`;
    }),
  timeout: ({ backend, folder }) =>
    inSandbox(backend, specOf(folder), async (sandbox) => {
      const begun = performance.now();
      await ran(sandbox, "sleep 60", { timeoutMs: 500 });
      if (performance.now() - begun > 20_000) throw new Error("it ran on");
      expect((await ran(sandbox, "ps ax | grep -c '[s]leep 60'")).text.trim(), "0");
      return "ended, and gone";
    }),
  "no network": ({ backend, folder }) =>
    inSandbox(backend, specOf(folder), async (sandbox) => {
      const { text } = await ran(sandbox, "tail -n +3 /proc/net/dev | grep -v ' lo:' | wc -l");
      expect(text.trim(), "0");
      return "lo alone";
    }),
  "read-only folder": ({ backend, folder }) => {
    const mounts = [{ name: "", hostPath: folder, path: "/workspace", access: "ro" as const }];
    return inSandbox(backend, specOf(folder, { workspace: "ro", mounts }), async (sandbox) => {
      if ((await ran(sandbox, "touch made")).exitCode === 0) throw new Error("it was written");
      return "stays as it is";
    });
  },
  "private folder": ({ backend, folder }) =>
    inSandbox(backend, specOf(folder, { workspace: "none", mounts: [] }), async (sandbox) => {
      await sandbox.fs.write("a", Buffer.from("1"));
      return "can be written";
    }),
  "limit memoryMb": ({ backend, folder }) =>
    inSandbox(backend, specOf(folder), async (sandbox) => {
      const { text } = await ran(sandbox, "head -c 600M /dev/zero | tail | wc -c; echo end", {
        timeoutMs: 60_000,
      });
      if (text.startsWith("629145600")) throw new Error("600 MiB with a limit of 320");
      return `a command ends; ${(await ran(sandbox, "echo the sandbox stays")).text.trim()}`;
    }),
  "limit fileMb, tmpMb": ({ backend, folder }) =>
    inSandbox(backend, specOf(folder), async (sandbox) => {
      const { text } = await ran(
        sandbox,
        "(head -c 80M /dev/zero >big) 2>/dev/null; wc -c <big; rm big; (head -c 60M /dev/zero >/tmp/big) 2>/dev/null; wc -c </tmp/big",
      );
      const [file = 0, tmp = 0] = text.match(/^\d+$/gm)?.slice(-2).map(Number) ?? [];
      if (!(file > 0 && file <= 64 << 20 && tmp > 0 && tmp <= 48 << 20))
        throw new Error(`${file} and ${tmp} bytes`);
      return "hold";
    }),
  "an image with a shell": async ({ backend, folder, socketPath }) => {
    const engine = new Engine(socketPath);
    try {
      await engine.call(
        "POST",
        "/images/create?fromSrc=-&repo=haft/try&tag=latest&changes=ENV%20PATH%3D%2Fbin",
        {
          archive: busyboxImage(),
        },
      );
    } finally {
      engine.close();
    }
    return inSandbox(backend, specOf(folder, { image: "haft/try" }), async (sandbox) => {
      expect((await ran(sandbox, "ls /")).text.includes("workspace"), true);
      return `serves; terminals ${sandbox.capabilities.pty ? "too" : "not"}`;
    });
  },
  "one that lives on": async ({ backend, folder }) => {
    const spec = specOf(folder, { lifetime: { idleMs: 60_000, maxAgeMs: 60_000 } });
    const first = await openSandbox(backend, spec);
    try {
      await ran(first, "echo here >/tmp/left");
      await first.close();
      const again = await openSandbox(backend, spec);
      expect((await ran(again, "cat /tmp/left")).text, "here\n");
      await again.close();
      expect((await backend.list()).length, 1);
      return "found again, with what was in it; listed";
    } finally {
      expect(await backend.destroy(first.ref), true);
    }
  },
  "the host is killed": async ({ backend, folder, socketPath }) => {
    const program = join(root, "packages/sandbox/test/docker/open-and-wait.ts");
    const args = ["--conditions=@haft/source", program, socketPath, JSON.stringify(specOf(folder)), "true"];
    const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    await once(host.stdout, "data");
    expect((await backend.list()).length, 1);
    host.kill("SIGKILL");
    const deadline = performance.now() + GONE_MS;
    const engine = new Engine(socketPath);
    try {
      // The backend would remove it, but the sandbox must end alone.
      for (;;) {
        const all = await engine.call<{ Labels: Record<string, string> }[]>("GET", "/containers/json?all=1");
        if (!all.some(({ Labels }) => Labels["haft"] === "1")) return "the container goes by itself";
        if (performance.now() > deadline) break;
        await sleep(200);
      }
    } finally {
      engine.close();
    }
    const left = await backend.list();
    if (left.length > 0) throw new Error("the container stays");
    return "the container stays until the next host looks, which removes it";
  },
};

/** Each attempt of the table uses a new sandbox. */
async function tried(backend: SandboxBackend): Promise<string> {
  const escaped: string[] = [];
  let [blocked, untested] = [0, 0];
  for (const attempt of attempts.filter(
    ({ name }) => UNENFORCED_ATTEMPTS["docker"]?.includes(name) !== true,
  )) {
    const fixture = await openEscapeFixture();
    const mounts = [
      { name: "", hostPath: fixture.workspace, path: "/workspace", access: "rw" as const },
      { name: "read-only", hostPath: fixture.readOnly, path: SANDBOX_READ_ONLY_PATH, access: "ro" as const },
    ];
    try {
      await inSandbox(backend, specOf(fixture.workspace, { mounts }), async (sandbox) => {
        const result = await runAttempt(attempt, runInWorkspace(sandbox), fixture, ATTEMPT_LIMITS);
        if (result.verdict === "blocked") blocked++;
        else if (result.verdict === "not tested") untested++;
        else escaped.push(`${attempt.name} (${result.output.trim().slice(0, 120)})`);
        return "";
      });
    } catch (thrown) {
      escaped.push(`${attempt.name} (${(thrown as Error).message.slice(0, 120)})`);
    } finally {
      await fixture.close();
    }
  }
  const counted = `${blocked} blocked${untested > 0 ? `, ${untested} not tested` : ""}`;
  if (escaped.length > 0) throw new Error(`${counted}, not blocked: ${escaped.join(", ")}`);
  return counted;
}

function specOf(hostPath: string, more: Partial<SandboxSpec> = {}): SandboxSpec {
  return {
    key: `try-${process.pid}`,
    scope: "session",
    workspace: "rw",
    mounts: [{ name: "", hostPath, path: "/workspace", access: "rw" }],
    env: {},
    network: "none",
    limits: ATTEMPT_LIMITS,
    lifetime: "tethered",
    ...more,
  };
}

async function inSandbox(
  backend: SandboxBackend,
  spec: SandboxSpec,
  work: (sandbox: Sandbox) => Promise<string>,
): Promise<string> {
  const sandbox = await openSandbox(backend, spec);
  try {
    return await work(sandbox);
  } finally {
    await sandbox.close();
  }
}

async function ran({ processes }: Sandbox, script: string, more: object = {}) {
  const { id } = await processes.start(crypto.randomUUID(), { script, ...more });
  const { exitCode } = await processes.wait(id);
  const { chunks } = await processes.read(id, 0);
  return { exitCode, text: Buffer.concat(chunks.map(({ bytes }) => bytes)).toString() };
}

function busyboxImage(): Uint8Array {
  const path = execFileSync("sh", ["-c", "command -v busybox"], { encoding: "utf8" }).trim();
  const tools = execFileSync(path, ["--list"], { encoding: "utf8" }).trim().split("\n");
  return createTar([
    ...["bin", "dev", "etc", "proc", "sys", "tmp", "sbin", "workspace", "opt"].map((folder) => ({
      path: folder,
      ...(folder === "tmp" ? { mode: 0o1777 } : {}),
    })),
    { path: "bin/busybox", content: readFileSync(path), mode: 0o755 },
    ...tools.filter((tool) => tool !== "busybox").map((tool) => ({ path: `bin/${tool}`, link: "busybox" })),
  ]);
}

function expect(found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}
