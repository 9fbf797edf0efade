import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeOf } from "../support.ts";
import { EACH_WAY, readAll, run, sharedSessions, start, textOf, until } from "./support.ts";

const share = sharedSessions();

describe.each(EACH_WAY)("standard input, $name", ({ options }) => {
  test("is closed unless asked for: a command that reads sees the end at once", async () => {
    const { processes } = share(options);
    expect(await run(processes, "cat; echo end")).toMatchObject({ text: "end\n", stdin: "closed" });
    const { id } = await start(processes, "sleep 300");
    expect(await codeOf(processes.write(id, Buffer.from("x")))).toBe("STDIN_CLOSED");
    await processes.closeStdin(id);
  });

  test("is written in pieces and ended", async () => {
    const { processes } = share(options);
    const { id, stdin } = await start(processes, { argv: ["cat"], stdin: "open" });
    expect(stdin).toBe("open");
    for (const piece of ["héllo ", "\0\x01", "wörld"]) await processes.write(id, Buffer.from(piece));
    await processes.closeStdin(id);
    expect(await processes.wait(id)).toMatchObject({ exitCode: 0, stdin: "closed" });
    expect((await readAll(processes, id)).all.toString()).toBe("héllo \0\x01wörld");
    expect(await codeOf(processes.write(id, Buffer.from("x")))).toBe("STDIN_CLOSED");
  });

  test("a process that closes it is no accident", async () => {
    const { processes } = share(options);
    const { id } = await start(processes, { script: "exec <&-; echo closed; sleep 300", stdin: "open" });
    await processes.read(id, 0, { waitMs: 60_000 });
    // What another program is being started by has the pipe open for a moment, too, and somebody could read it.
    let failure: unknown;
    await until("nobody can read it", async () => {
      failure = await processes.write(id, Buffer.from("x")).then(nothing, (thrown: unknown) => thrown);
      return failure !== undefined;
    });
    expect(failure).toMatchObject({ code: "STDIN_CLOSED", category: "operational" });
    expect(await processes.info(id)).toMatchObject({ state: "running", stdin: "closed" });
  });

  test("a process that does not read makes the writer wait, and then says so", async () => {
    const { processes, root } = share(options);
    const script = "until [ -e go ]; do sleep 0.05; done; cat | wc -c";
    const { id } = await start(processes, { script, stdin: "open" });
    const piece = Buffer.alloc(600_000, "x");
    const { queued } = await processes.write(id, piece);
    expect(queued).toBeGreaterThan(0);
    expect(await codeOf(processes.write(id, piece, { waitMs: 20 }))).toBe("STDIN_FULL");
    // What was refused was not taken, not even in part.
    writeFileSync(join(root, "go"), "");
    expect(await processes.write(id, piece, { waitMs: 60_000 })).toMatchObject({});
    await processes.closeStdin(id);
    await processes.wait(id);
    expect(Number(textOf(await processes.read(id, 0)))).toBe(1_200_000);
  });

  test("all of it is there for a command that opens it later, by name", async () => {
    const { processes } = share(options);
    const { id } = await start(processes, { script: "sleep 0.2; cat /dev/stdin; echo end", stdin: "open" });
    await processes.write(id, Buffer.from("early\n"));
    await processes.closeStdin(id);
    await processes.wait(id, { timeoutMs: 60_000 });
    expect(textOf(await processes.read(id, 0))).toBe("early\nend\n");
  });

  test("written while the process is being killed: an answer, whatever it is", async () => {
    const { processes } = share(options);
    const { id } = await start(processes, { argv: ["cat"], stdin: "open" });
    const writes = Array.from({ length: 50 }, () =>
      processes.write(id, Buffer.alloc(1000)).then(
        () => "taken",
        (thrown: unknown) => (thrown as { code: string }).code,
      ),
    );
    await processes.kill(id, { graceMs: 0 });
    for (const answer of await Promise.all(writes)) expect(["taken", "STDIN_CLOSED"]).toContain(answer);
    await until("it has ended", async () => (await processes.info(id))!.state === "exited");
  });
});

function nothing(): void {}
