import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { processFenceContract } from "./fence.ts";
import type { ContractOptions, OpenSite } from "./support.ts";
import {
  bytes,
  catchErrorCode,
  contractSite,
  catchFailure,
  readOutput,
  prepare,
  run,
  sleepers,
  start,
  decodeChunks,
  uniqueSleep,
  until,
} from "./support.ts";

/** Ways in which a process gets out of its parent's sight. */
export const ESCAPES: Record<string, (seconds: string) => string> = {
  "a child": (s) => `sleep ${s}`,
  "in the background of a shell that ends": (s) => `sleep ${s} >/dev/null 2>&1 & echo`,
  "a new session": (s) => `setsid sleep ${s} & wait`,
  "forked twice, a new session, no variables": (s) =>
    `(setsid env -i /bin/sleep ${s} >/dev/null 2>&1 </dev/null &) ; sleep 300`,
  "ignoring TERM": (s) => `trap '' TERM; (setsid sleep ${s} &) ; sleep 300; sleep 300`,
};

/** What every `Processes` does, wherever commands run. */
export function processContract(
  name: string,
  open: OpenSite,
  { without = [], oneIn = 1 }: ContractOptions = {},
): void {
  describe(`processes: ${name}`, () => {
    const site = contractSite(open);
    processFenceContract(site, without);

    describe("start", () => {
      test("runs a script, and reports output, exit code, folder and times", async () => {
        const { processes, root } = site;
        const info = await run(processes, "echo out; echo err >&2; pwd; exit 3");
        expect(info).toMatchObject({ state: "exited", reason: "exit", exitCode: 3, cwd: root, pty: false });
        expect(info.output).toMatchObject({ stdout: 4 + root.length + 1, stderr: 4, dropped: 0, spooled: 0 });
        expect(info.text).toContain(root);
        expect(info.endedAt).toBeGreaterThanOrEqual(info.startedAt);
        expect(info.signal).toBeUndefined();
        expect(await processes.info(info.id)).toMatchObject({ id: info.id, state: "exited" });
        expect((await processes.list()).map(({ id }) => id)).toContain(info.id);
      });

      test("runs a program without a shell, with unchanged arguments", async () => {
        const argv = ["printf", "%s|", "a b", "$HOME", "'", "\n", "*", "", "ä🔧"];
        expect((await run(site.processes, { argv })).text).toBe("a b|$HOME|'|\n|*||ä🔧|");
      });

      test("returns the end if it comes soon enough", async () => {
        const { processes } = site;
        const quick = await processes.start("quick", { script: "exit 4" }, { waitMs: 60_000 });
        expect(quick).toMatchObject({ state: "exited", exitCode: 4 });
        const slow = await processes.start("slow", { script: "sleep 300" }, { waitMs: 50 });
        expect(slow.state).toBe("running");
        await processes.kill(slow.id, { graceMs: 0 });
      });

      test("reports why a command cannot start", async () => {
        const { processes } = site;
        const before = (await processes.list()).length;
        expect(await catchFailure(start(processes, { argv: ["no-such-program-here"] }))).toMatchObject({
          code: "PROGRAM_NOT_FOUND",
          category: "input",
          receipt: "none",
        });
        expect(await catchErrorCode(start(processes, { argv: [] }))).toBe("INVALID_PROCESS");
        expect(await catchErrorCode(start(processes, { argv: ["true"], script: "true" }))).toBe(
          "INVALID_PROCESS",
        );
        expect(await catchErrorCode(start(processes, { argv: ["echo", "a\0b"] }))).toBe("INVALID_PROCESS");
        expect(await catchErrorCode(start(processes, { argv: ["echo", "x".repeat(200_000)] }))).toBe(
          "INVALID_PROCESS",
        );
        expect(await catchErrorCode(start(processes, { script: "true", env: { LD_PRELOAD: "x" } }))).toBe(
          "ENVIRONMENT_BLOCKED",
        );
        expect((await processes.list()).length).toBe(before);
      });

      test("checks the folder before anything runs", async () => {
        const { processes, root } = site;
        const dir = await site.folder();
        await prepare(processes, "mkdir sub; touch file; ln -s / out; ln -s sub in", dir);
        const inside = (cwd: string) => start(processes, { script: "pwd -P", cwd });
        expect(await catchErrorCode(inside(`${dir}/missing`))).toBe("INVALID_PROCESS");
        expect(await catchErrorCode(inside("~"))).toBe("INVALID_PROCESS");
        expect(await catchErrorCode(inside("  "))).toBe("INVALID_PROCESS");
        expect(await catchErrorCode(inside(`${dir}/file`))).toBe("INVALID_PROCESS");
        expect(await catchErrorCode(inside("/etc"))).toBe("OUTSIDE_WORKSPACE");
        expect(await catchErrorCode(inside(`${dir}/out`))).toBe("OUTSIDE_WORKSPACE");
        for (const cwd of [`${dir}/sub`, `./${dir}/sub/`, `${root}/${dir}/sub`, `${dir}/in`]) {
          expect((await run(processes, { script: "pwd -P", cwd })).text.trim()).toBe(`${root}/${dir}/sub`);
        }
      });

      test("passes the variables of the call, and no others of this program", async () => {
        process.env["CONTRACT_SECRET"] = "secret-of-the-host";
        const { text } = await run(site.processes, { script: "env", env: { GREETING: "hello there" } });
        delete process.env["CONTRACT_SECRET"];
        expect(text).toContain("GREETING=hello there\n");
        expect(text).toMatch(/^PATH=\/.+$/m);
        expect(text).not.toContain("secret-of-the-host");
      });

      test("starts one process per caller id, also for concurrent calls", async () => {
        const { processes } = site;
        const cwd = await site.folder();
        const spec = { script: "echo ran >> runs; sleep 0.05", cwd };
        const infos = await Promise.all(
          Array.from({ length: 5 }, () => processes.start(`once-${cwd}`, spec)),
        );
        expect(new Set(infos.map(({ id }) => id)).size).toBe(1);
        await processes.wait(infos[0]!.id);
        expect((await processes.start(`once-${cwd}`, spec)).id).toBe(infos[0]!.id);
        expect((await run(processes, { argv: ["cat", "runs"], cwd })).text).toBe("ran\n");
      });

      test.each([5_000, 200_000, 1_000_000])("runs a whole script of %i bytes", async (length) => {
        const script = `cat <<'END' | wc -c\n${"x".repeat(length)}\nEND\nread line || echo no input; exit 5`;
        const info = await run(site.processes, script);
        expect(info.text.replaceAll(" ", "")).toBe(`${length + 1}\nnoinput\n`);
        expect(info).toMatchObject({ exitCode: 5 });
        expect(info.command.length).toBeLessThanOrEqual(4096);
      });

      test("runs nothing if cancelled before the start", async () => {
        const { processes, fs } = site;
        const cwd = await site.folder();
        const starting = processes.start(
          `cancel-${cwd}`,
          { script: "touch ran", cwd },
          { signal: AbortSignal.abort() },
        );
        expect(await catchFailure(starting)).toMatchObject({ code: "ABORTED", receipt: "none" });
        expect((await fs.list(cwd)).entries).toEqual([]);
      });

      test("leaves no process if cancelled during the start", async () => {
        const { processes } = site;
        const seconds = uniqueSleep();
        const controller = new AbortController();
        const starting = processes.start(
          `s-${seconds}`,
          { argv: ["sleep", seconds] },
          { signal: controller.signal },
        );
        controller.abort();
        expect(await catchErrorCode(starting.then(({ id }) => processes.kill(id)))).toBe("ABORTED");
        await until("it is gone", async () => (await sleepers(processes, seconds)) === 0);
      });

      test("supports `exit`, `exec`, traps and syntax errors like a separate shell", async () => {
        for (let round = 0; round < 2; round++) {
          const one = (script: string) => run(site.processes, script);
          expect(await one("exec true")).toMatchObject({ exitCode: 0 });
          expect(await one("trap 'echo bye' EXIT; exit 9")).toMatchObject({ exitCode: 9, text: "bye\n" });
          expect(await one("kill -9 $$")).toMatchObject({ signal: "SIGKILL", reason: "signal" });
          expect((await one("echo 'never closed")).exitCode).not.toBe(0);
          expect(await one("")).toMatchObject({ exitCode: 0, text: "" });
        }
      });
    });

    describe("output", () => {
      test("is read from any offset, in pieces of any size", async () => {
        const { processes } = site;
        const { id, text } = await run(processes, "seq 1 2000");
        expect(text).toBe(Array.from({ length: 2000 }, (_, index) => `${index + 1}\n`).join(""));
        for (const max of [1, 7, 4096, 1 << 20]) {
          const output = await processes.read(id, 100, { max });
          expect(decodeChunks(output)).toBe(text.slice(100, 100 + max));
          expect(output.next).toBe(Math.min(text.length, 100 + max));
        }
        expect(await processes.read(id, 1e9)).toMatchObject({ chunks: [], dropped: 0, total: text.length });
        expect(await catchErrorCode(processes.read("no-such-process", 0))).toBe("PROCESS_NOT_FOUND");
      });

      test("arrives byte for byte, with separate streams in order", async () => {
        const { processes } = site;
        const script = String.raw`printf '\0\377a\342\202'; sleep 0.1; printf '\0\200\033[3' >&2`;
        const { id } = await run(processes, script);
        const { chunks } = await processes.read(id, 0);
        expect(chunks.map(({ stream, bytes: all }) => [stream, ...all])).toEqual([
          ["stdout", 0, 255, 97, 0o342, 0o202],
          ["stderr", 0, 128, 27, 91, 51],
        ]);
      });

      test("is awaited until it comes or the process ends", async () => {
        const { processes } = site;
        const { id } = await start(processes, "sleep 0.2; echo first; sleep 0.2; exit 1");
        const first = await processes.read(id, 0, { waitMs: 60_000 });
        expect([decodeChunks(first), first.state]).toEqual(["first\n", "running"]);
        expect(await processes.read(id, first.next, { waitMs: 60_000 })).toMatchObject({
          chunks: [],
          state: "exited",
        });
      });

      test("is awaited until a timeout or abort, which ends only the wait", async () => {
        const { processes } = site;
        const { id } = await start(processes, "sleep 300");
        expect(await processes.read(id, 0, { waitMs: 50 })).toMatchObject({ chunks: [], state: "running" });
        expect(await processes.wait(id, { timeoutMs: 50 })).toMatchObject({ state: "running" });
        const controller = new AbortController();
        const reading = processes.read(id, 0, { waitMs: 60_000, signal: controller.signal });
        const waiting = processes.wait(id, { signal: controller.signal });
        setTimeout(() => controller.abort(), 50);
        expect(await reading).toMatchObject({ state: "running" });
        expect(await waiting).toMatchObject({ state: "running" });
        await processes.kill(id, { graceMs: 0 });
      });

      test.skipIf(without.includes("output limits"))("is counted exactly beyond the limits", async () => {
        const { processes } = site;
        const output = { ringBytes: 10_000, spoolBytes: 50_000 };
        const { id } = await start(processes, { script: "seq 1 100000; seq 1 10 >&2", output });
        const info = await processes.wait(id);
        const expected = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join("");
        expect(info.output).toMatchObject({ stdout: expected.length, stderr: 21, spooled: 50_000 });
        const rest = await readOutput(processes, id, "stdout");
        expect(rest.slice(0, 50_000)).toBe(expected.slice(0, 50_000));
        expect(rest.slice(-10_000)).toBe(expected.slice(-10_000));
        expect(rest.length + 21).toBe(info.output.total - info.output.dropped);
      });

      test("is complete for a single long line without a reader", async () => {
        const { processes } = site;
        const { id } = await start(processes, "head -c 4000000 /dev/zero | tr '\\0' x");
        expect((await processes.wait(id)).output).toMatchObject({ stdout: 4_000_000, dropped: 0 });
        expect(await readOutput(processes, id)).toBe("x".repeat(4_000_000));
      });

      test("is removed with the release of the process, not before its end", async () => {
        const { processes } = site;
        const { id } = await start(processes, "echo x; sleep 300");
        expect(await catchErrorCode(processes.release(id))).toBe("INVALID_PROCESS");
        await processes.kill(id, { graceMs: 0 });
        await processes.release(id);
        expect(await processes.info(id)).toBeUndefined();
        expect(await catchErrorCode(processes.read(id, 0))).toBe("PROCESS_NOT_FOUND");
      });

      test.skipIf(without.includes("output limits"))(
        "does not delay file operations, even as a flood",
        async () => {
          const { processes, fs } = site;
          const dir = await site.folder();
          const { id } = await start(processes, { script: "yes", output: { spoolBytes: 0 } });
          await until("it floods", async () => (await processes.info(id))!.output.dropped > 0);
          await fs.write(`${dir}/a`, bytes("x".repeat(1024)));
          for (let round = 0; round < 50; round++) expect((await fs.read(`${dir}/a`)).stat.size).toBe(1024);
          expect(await processes.kill(id, { graceMs: 0 })).toMatchObject({ reason: "killed" });
        },
      );
    });

    describe("standard input", () => {
      test("is closed by default", async () => {
        const { processes } = site;
        expect(await run(processes, "cat; echo end")).toMatchObject({ text: "end\n", stdin: "closed" });
        const { id } = await start(processes, "sleep 300");
        expect(await catchErrorCode(processes.write(id, bytes("x")))).toBe("STDIN_CLOSED");
        await processes.kill(id, { graceMs: 0 });
      });

      test("accepts pieces and an end", async () => {
        const { processes } = site;
        const { id, stdin } = await start(processes, { argv: ["cat"], stdin: "open" });
        expect(stdin).toBe("open");
        for (const piece of ["héllo ", "\0\u0001", "wörld"]) await processes.write(id, bytes(piece));
        await processes.closeStdin(id);
        expect(await processes.wait(id)).toMatchObject({ exitCode: 0, stdin: "closed" });
        expect(await readOutput(processes, id)).toBe("héllo \0\u0001wörld");
      });

      test("reports queued bytes if the process does not read", async () => {
        const { processes } = site;
        const cwd = await site.folder();
        const script = "until [ -e go ]; do sleep 0.05; done; cat | wc -c";
        const { id } = await start(processes, { script, cwd, stdin: "open" });
        const piece = Buffer.alloc(600_000, "x");
        expect((await processes.write(id, piece)).queued).toBeGreaterThan(0);
        expect(await catchErrorCode(processes.write(id, piece, { waitMs: 20 }))).toBe("STDIN_FULL");
        await run(processes, { script: "touch go", cwd });
        await processes.write(id, piece, { waitMs: 60_000 });
        await processes.closeStdin(id);
        await processes.wait(id);
        expect(Number(await readOutput(processes, id))).toBe(1_200_000);
      });
    });

    describe("the end of a tree", () => {
      const escapes = Object.entries(ESCAPES).filter(
        ([name]) => !without.includes("hidden processes") || !name.includes("no variables"),
      );
      test.each(escapes)("kills the tree: %s", async (_name, escape) => {
        const { processes } = site;
        const seconds = uniqueSleep();
        const { id } = await start(processes, escape(seconds));
        await until("it runs", async () => (await sleepers(processes, seconds)) > 0);
        await processes.kill(id, { graceMs: 100 });
        expect(await sleepers(processes, seconds)).toBe(0);
        expect((await processes.info(id))!.state).toBe("exited");
      });

      test.skipIf(without.includes("hidden processes"))("kills the tree after a timeout", async () => {
        const { processes } = site;
        const seconds = uniqueSleep();
        const script = `(setsid env -i /bin/sleep ${seconds} &) ; echo before; sleep 300`;
        const info = await run(processes, { script, timeoutMs: 300, killGraceMs: 100 });
        expect(info).toMatchObject({ reason: "timeout", text: "before\n" });
        await until("it is gone", async () => (await sleepers(processes, seconds)) === 0);
      });

      test("sends TERM, lets traps run, then sends KILL", async () => {
        const { processes } = site;
        const patient = await start(
          processes,
          "trap 'echo cleaned up; exit' TERM; echo ready; while :; do sleep 0.05; done",
        );
        await processes.read(patient.id, 0, { waitMs: 60_000 });
        expect(await processes.kill(patient.id)).toMatchObject({ state: "exited", reason: "killed" });
        expect(await readOutput(processes, patient.id)).toContain("cleaned up\n");
        const { id } = await start(processes, "trap '' TERM; echo ready; sleep 300");
        await processes.read(id, 0, { waitMs: 60_000 });
        expect(await processes.kill(id, { graceMs: 0 })).toMatchObject({
          signal: "SIGKILL",
          reason: "killed",
        });
      });

      test("sends a single signal on request", async () => {
        const { processes } = site;
        const { id } = await start(
          processes,
          "trap 'echo heard' USR1; echo ready; while :; do sleep 0.02; done",
        );
        await processes.read(id, 0, { waitMs: 60_000 });
        expect(await processes.signal(id, "SIGUSR1", { tree: false })).toEqual({ signalled: 1 });
        await until("it has heard", async () => (await readOutput(processes, id)).includes("heard"));
        expect(await catchErrorCode(processes.signal(id, "TERM; rm"))).toBe("INVALID_PROCESS");
        await processes.kill(id, { graceMs: 0 });
        // A killed process counts until the system has ended it.
        await until("nothing is left", async () => (await processes.signal(id, "SIGTERM")).signalled === 0);
      });

      test("does not wait for children that live on", async () => {
        // It sleeps for longer than the test may take.
        const seconds = uniqueSleep();
        const { id, reason } = await run(site.processes, `sleep ${seconds} &\necho done`);
        expect(reason).toBe("exit");
        await until("it sleeps", async () => (await sleepers(site.processes, seconds)) === 1);
        await site.processes.kill(id, { graceMs: 0 });
      });

      const many = scaleRuns(50, oneIn);
      test(`keeps the output of ${many} concurrent commands separate`, async () => {
        const infos = await Promise.all(
          Array.from({ length: many }, async (_, n) => ({
            n,
            ...(await run(site.processes, `echo out-${n}; echo err-${n} >&2; sleep 0.1; exit ${n % 7}`)),
          })),
        );
        for (const { n, text, exitCode } of infos) {
          expect([exitCode, ...text.trim().split("\n").toSorted()]).toEqual([n % 7, `err-${n}`, `out-${n}`]);
        }
      });
    });

    describe.skipIf(without.includes("pty"))("terminals", () => {
      const pty = { cols: 91, rows: 27 };

      test("have the requested size", async () => {
        const { processes } = site;
        const script = "test -t 0 && test -t 1 && stty size; echo $TERM; exit 3";
        const info = await run(processes, { script, pty });
        expect(info).toMatchObject({ pty: true, exitCode: 3, text: "27 91\r\nxterm-256color\r\n" });
      });

      test("accept input and control characters", async () => {
        const { processes } = site;
        const { id } = await start(processes, { argv: ["cat"], pty });
        await processes.write(id, bytes("héllo\r"));
        await until("it is echoed", async () => (await readOutput(processes, id)) === "héllo\r\nhéllo\r\n");
        await processes.closeStdin(id);
        expect(await processes.wait(id)).toMatchObject({ exitCode: 0 });
        const { id: plain } = await start(processes, "sleep 300");
        expect(await catchErrorCode(processes.resize(plain, pty))).toBe("INVALID_PROCESS");
        await processes.kill(plain, { graceMs: 0 });
      });
    });

    describe.skipIf(without.includes("identify"))("identify", () => {
      test("finds programs like a command, and reports missing programs", async () => {
        const { processes, root } = site;
        const dir = await site.folder();
        await prepare(processes, "mkdir sub; printf 'echo hi' >sub/script; ln -s sub/script link", dir);
        const names = [{ name: "sh" }, { name: "./link", hash: true }, { name: "no-such-program" }];
        const { cwd, files, environment } = await processes.identify(names, { cwd: dir });
        expect(cwd).toMatchObject({ path: `${root}/${dir}`, realPath: `${root}/${dir}` });
        expect(files[0]?.path).toMatch(/\/sh$/);
        expect(files[1]).toMatchObject({
          path: `${root}/${dir}/link`,
          realPath: `${root}/${dir}/sub/script`,
          sha256: createHash("sha256").update("echo hi").digest("hex"),
        });
        expect(files[2]).toBeUndefined();
        expect(environment).toMatch(/^[0-9a-f]{64}$/);
        expect(await catchErrorCode(processes.identify([], { cwd: "missing" }))).toBe("INVALID_PROCESS");
      });

      test("prevents the start after a change of an expected file", async () => {
        const { processes } = site;
        const dir = await site.folder();
        await prepare(processes, "printf 'echo one' >script", dir);
        const identify = () => processes.identify([{ name: "./script", hash: true }], { cwd: dir });
        const spec = { argv: ["sh", "./script"], cwd: dir };
        const { files } = await identify();
        expect((await run(processes, { ...spec, expect: [files[0]!] })).text).toBe("one\n");
        await prepare(processes, "printf 'echo two' >script", dir);
        expect(await catchFailure(start(processes, { ...spec, expect: [files[0]!] }))).toMatchObject({
          code: "PLAN_CHANGED",
          receipt: "none",
        });
      });
    });
  });
}
