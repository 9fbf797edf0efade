import { expect, test } from "vitest";
import type { RunnerChannel } from "../../src/wire/channel.ts";
import { createRunnerNetwork } from "../../src/wire/network-client.ts";

const signal = new AbortController().signal;

/** A channel to a runner that answers this. */
function runner(answers: Record<string, unknown>, reads: { value: unknown; body?: string }[] = []) {
  const calls: string[] = [];
  const channel = {
    value: async (op: string) => {
      calls.push(op);
      const answer = answers[op];
      if (answer instanceof Error) throw answer;
      return answer;
    },
    call: async () => {
      calls.push("net.read");
      await Promise.resolve();
      const { value, body = "" } = reads.length > 1 ? reads.shift()! : reads[0]!;
      return { head: { value }, body: Buffer.from(body) };
    },
  } as unknown as RunnerChannel;
  return { network: createRunnerNetwork(channel), calls };
}

test.each([
  ["no list", "127.0.0.1"],
  ["numbers", [7]],
  ["texts without end", ["1".repeat(1_000)]],
  ["nothing", null],
])("rejects an answer without addresses: %s", async (_what, answer) => {
  await expect(runner({ "net.lookup": answer }).network.lookup("example.com")).rejects.toThrow(
    /should have answered/,
  );
});

test("keeps only valid addresses, up to a limit", async () => {
  const many = ["no address", "203.0.113.1", ...Array.from({ length: 1_000 }, () => "::1")];
  const found = await runner({ "net.lookup": many }).network.lookup("example.com");
  expect(found[0]).toEqual({ address: "203.0.113.1" });
  expect(found.length).toBe(64);
});

test("rejects an invalid connection", async () => {
  await expect(runner({ "net.connect": "1" }).network.connect("203.0.113.1", 80, signal)).rejects.toThrow(
    /a number/,
  );
});

test("ends a connection with consecutive empty answers", async () => {
  const { network, calls } = runner({ "net.connect": 1 }, [{ value: { ended: false } }]);
  const stream = await network.connect("203.0.113.1", 80, signal);
  await expect(stream.toArray()).rejects.toThrow("its runner sends only empty answers");
  expect(calls.length).toBeLessThan(100);
  const writing = runner({ "net.connect": 1, "net.write": false }, [{ value: { ended: true } }]);
  const other = await writing.network.connect("203.0.113.1", 80, signal);
  const failed = new Promise((resolve) => other.once("error", resolve));
  other.write("text");
  expect(await failed).toMatchObject({ message: "its runner sends only empty answers" });
  expect(writing.calls.length).toBeLessThan(100);
});

test("closes a connection that fails without a listener", async () => {
  const { network, calls } = runner({ "net.connect": 1, "net.write": new Error("gone") }, [
    { value: { ended: true } },
  ]);
  const stream = await network.connect("203.0.113.1", 80, signal);
  stream.write("text");
  await new Promise((resolve) => stream.once("close", resolve));
  expect(calls.at(-1)).toBe("net.close");
});
