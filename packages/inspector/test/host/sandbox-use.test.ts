import { describe, expect, test } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { bubblewrap, call, isSkipped } from "../../../host/test/sandbox/support.ts";
import { openInspectedHost } from "../support/inspector-client.ts";

const MIB = 1024 * 1024;

describe.skipIf(isSkipped)("the use of sandboxes", () => {
  test("shows sessions, memory, processors, processes and disk of each sandbox", async () => {
    const { host, page } = await openInspectedHost({
      sandbox: { backend: bubblewrap(), limits: { memoryMb: 512, cpus: 0 } },
    });
    const [one, other] = [
      await host.openSession({ kind: "sandboxed", sessionKey: "one" }),
      await host.openSession({ kind: "sandboxed", sessionKey: "other" }),
    ];
    const found = async () => (await page.get("/api/places")).sandboxes;
    const idle = await found();
    expect(idle.map(({ sessions }: { sessions: string[] }) => sessions)).toEqual([
      [one.opening],
      [other.opening],
    ]);
    for (const { use } of idle) {
      expect(Number(use.memoryMb)).toBeGreaterThan(0);
      expect(Number(use.tasks)).toBeGreaterThan(0);
      expect(Number(use.tmpMb)).toBeLessThan(1);
      // Nobody measures the largest file.
      expect(use.fileMb).toBeUndefined();
    }
    const busy = `node -e '
      require("node:fs").writeFileSync("/tmp/filled", Buffer.alloc(${24 * MIB}));
      globalThis.kept = Buffer.alloc(${96 * MIB}, 1);
      for (;;);'`;
    await call(one, "exec", { command: busy, background: true });
    await until("the busy one uses more than the idle one", async () => {
      const [first, second] = await found();
      return (
        Number(first.use.memoryMb) > Number(idle[0].use.memoryMb) + 90 &&
        Number(first.use.tmpMb) >= 24 &&
        Number(first.use.tasks) > Number(idle[0].use.tasks) &&
        Number(first.use.cpus) > Number(second.use.cpus)
      );
    });
    await one.close();
    expect((await found()).map(({ sessions }: { sessions: string[] }) => sessions)).toEqual([
      [other.opening],
    ]);
  });

  test("is absent, and never 0, for a backend that cannot measure", async () => {
    const real = bubblewrap();
    const backend = {
      id: real.id,
      probe: () => real.probe(),
      list: () => real.list(),
      destroy: real.destroy.bind(real),
      async open(...given: Parameters<typeof real.open>) {
        const { usage: _, ...connection } = await real.open(...given);
        return connection;
      },
    };
    const { host, page } = await openInspectedHost({ sandbox: { backend } });
    await host.openSession({ kind: "sandboxed" });
    const [only] = (await page.get("/api/places")).sandboxes;
    expect(only.limits.memoryMb).toBe("1024");
    expect(only).not.toHaveProperty("use");
  });
});
