import { describe, expect, test } from "vitest";
import { EACH_START_MODE, sharedSessions, start, decodeChunks, until } from "./support.ts";

const share = sharedSessions();

describe.each(EACH_START_MODE)("standard input, $name", ({ options }) => {
  test("accepts a process that closes it", async () => {
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

  test("is complete for a command that opens it later by name", async () => {
    const { processes } = share(options);
    const { id } = await start(processes, { script: "sleep 0.2; cat /dev/stdin; echo end", stdin: "open" });
    await processes.write(id, Buffer.from("early\n"));
    await processes.closeStdin(id);
    await processes.wait(id, { timeoutMs: 60_000 });
    expect(decodeChunks(await processes.read(id, 0))).toBe("early\nend\n");
  });

  test("returns a result for a write during a kill", async () => {
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
