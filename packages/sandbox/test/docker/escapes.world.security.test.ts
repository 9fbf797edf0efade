import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openSandbox } from "../../src/index.ts";
import { attempts } from "../escapes/attempts.ts";
import { ATTEMPT_LIMITS, openEscapeFixture, SANDBOX_READ_ONLY_PATH } from "../escapes/fixture.ts";
import { runAttempt, runInWorkspace } from "../escapes/run-attempts.ts";
import { shareEscapeSandbox } from "../escapes/shared-sandbox.ts";
import { UNENFORCED_ATTEMPTS } from "../escapes/unenforced-attempts.ts";
import { specFor } from "../spec-for.ts";
import { run, useDocker } from "./support.ts";

const { daemon, backend, open } = await useDocker();

describe.skipIf(daemon === undefined).each([
  ["an ordinary user's", { uid: 4321, gid: 4321 }],
  ["root's", { uid: 0, gid: 0 }],
])("escapes from a container whose workspace is %s", (_whose, owner) => {
  const placeOf = shareEscapeSandbox(async () => {
    const fixture = await openEscapeFixture(owner);
    const spec = specFor(fixture.workspace, { limits: ATTEMPT_LIMITS });
    const readOnly = {
      name: "ro",
      hostPath: fixture.readOnly,
      path: SANDBOX_READ_ONLY_PATH,
      access: "ro",
    } as const;
    const sandbox = await openSandbox(backend, { ...spec, mounts: [...spec.mounts, readOnly] });
    return { fixture, sandbox };
  });

  const promised = attempts.filter(({ name }) => !UNENFORCED_ATTEMPTS["docker"]!.includes(name));
  test.for(promised)("$name", async (attempt) => {
    const { fixture, sandbox } = await placeOf(attempt);
    const result = await runAttempt(attempt, runInWorkspace(sandbox), fixture, ATTEMPT_LIMITS);
    expect(result).toMatchObject({ verdict: "blocked" });
  });
});

describe.skipIf(daemon === undefined)("in a workspace of root", () => {
  const workspaceOfRoot = (): string => {
    const made = realpathSync(mkdtempSync(join(tmpdir(), "haft-docker-")));
    onTestFinished(() => rmSync(made, { recursive: true, force: true }));
    return made;
  };

  test("gives commands uid 0 without additional rights", async () => {
    const hostPath = workspaceOfRoot();
    writeFileSync(join(hostPath, "another's"), "secret", { mode: 0o600 });
    const { chownSync } = await import("node:fs");
    chownSync(join(hostPath, "another's"), 4321, 4321);
    const corePattern = readFileSync("/proc/sys/kernel/core_pattern", "utf8");
    const { text } = await run(
      await open({}, hostPath),
      // One stream: of two nobody knows which comes first.
      `exec 2>&1; id -u; grep -hE '^(CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs):' /proc/self/status
       cat "another's"; touch made; chown 4321 made; chmod 4755 made
       echo x >/proc/sys/kernel/core_pattern; echo b >/proc/sysrq-trigger; echo x >/dev/made; echo x >/etc/made
       head -c 1 /proc/vmallocinfo; ls -A /sys/block /sys/bus /sys/class /sys/devices /sys/module | grep -v '^/sys.*:$' | grep . && echo seen
       mount -t tmpfs none /tmp; mknod disk b 254 0; echo done`,
    );
    const expectOutput = (what: RegExp): void => expect(text).toMatch(what);
    expectOutput(/^0\n/);
    expect(text.match(/^Cap\w+:\s0+$/gm)).toHaveLength(5);
    expectOutput(/NoNewPrivs:\s1\n/);
    expect(text).not.toContain("secret");
    expectOutput(/another's"?: Permission denied/);
    expectOutput(/chown: changing ownership.*Operation not permitted/);
    expectOutput(/chmod: changing permissions.*Operation not permitted/);
    expectOutput(/core_pattern: Read-only file system/);
    expectOutput(/sysrq-trigger: (Read-only file system|Directory nonexistent)/);
    expectOutput(/\/dev\/made: Read-only file system/);
    expectOutput(/\/etc\/made: Read-only file system/);
    expect(text).not.toContain("seen");
    expectOutput(/mknod: disk: Operation not permitted/);
    expectOutput(/done\n$/);
    expect(readFileSync("/proc/sys/kernel/core_pattern", "utf8")).toBe(corePattern);
    const { uid, mode } = statSync(join(hostPath, "made"));
    expect([uid, mode & 0o6000]).toEqual([0, 0]);
  });
});

describe.skipIf(daemon === undefined)("the filter of system calls", () => {
  test("refuses calls of other architectures, whose numbers have other meanings", async () => {
    if (process.arch !== "x64") return;
    const call = (code: string): string =>
      // One stream: the shell says why a program ended on the other.
      `exec 2>&1; python3 -c 'import ctypes, mmap
memory = mmap.mmap(-1, 4096, prot=7)
memory.write(bytes.fromhex("${code}"))
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))()
print("answered")'; echo $?`;
    const sandbox = await open();
    // getpid by its 32-bit number and interrupt; by its x32 number; as it should be.
    expect((await run(sandbox, call("b814000000cd80c3"))).text).toMatch(/(^|\n)159\n$/);
    expect((await run(sandbox, call("b8270000400f05c3"))).text).toMatch(/(^|\n)159\n$/);
    expect((await run(sandbox, call("b8270000000f05c3"))).text).toBe("answered\n0\n");
  });

  test("allows threads, compilers, version control, terminals and other interpreters", async () => {
    const sandbox = await open({ limits: { memoryMb: 1024, tasks: 256, cpus: 0, fileMb: 256, tmpMb: 128 } });
    const script = `set -e
      node -e 'new (require("worker_threads").Worker)("require(\\"worker_threads\\").parentPort.postMessage(1+1)",{eval:true}).on("message",n=>console.log("node",n))'
      python3 -u -c 'import threading, multiprocessing, asyncio, subprocess, sqlite3
with multiprocessing.Pool(2) as pool: print("python", sum(pool.map(abs, [-1, -2])))
t = threading.Thread(target=print, args=("thread",)); t.start(); t.join()
async def main():
    p = await asyncio.create_subprocess_exec("echo", "asyncio", stdout=subprocess.PIPE); print((await p.communicate())[0].decode().strip())
asyncio.run(main()); sqlite3.connect("t.db").execute("create table t(a)")
import pty; pty.spawn(["echo", "terminal"])'
      export HOME=/tmp; git init -q g; cd g; echo a >a; git add a; git -c user.name=n -c user.email=e commit -qm m; git log --format=%s
      printf 'int main(){return 7;}' >p.c; if command -v cc >/dev/null; then cc p.c -o p; ./p || echo "cc $?"; else echo "cc 7"; fi
      tar cf t.tar a; cp -a a b; flock a true; timeout 5 true; nice true; setsid true; chmod 755 a; ln -s a l; stat -c %a a`;
    const { text } = await run(sandbox, script);
    expect(text.replaceAll("\r", "").trim().split("\n")).toEqual([
      "node 2",
      "python 3",
      "thread",
      "asyncio",
      "terminal",
      "m",
      "cc 7",
      "755",
    ]);
  });
});
