import { fc, test as property } from "@fast-check/vitest";
import { HaftError, type Processes } from "@haft/core";
import { duplexPair } from "node:stream";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { connectRunner, type RunnerConnection, SessionProcesses } from "../../src/internal/wire.ts";
import { writeFrame } from "../../src/wire/frames.ts";
import { catchErrorCode, catchFailure } from "../support.ts";
import { type RunnerCall, HELLO, connectFakeRunner, type FakeRunner } from "./support.ts";

const mounts = [{ name: "", path: "/workspace", access: "rw" as const }];
const STAT = { type: "file", size: 3, mode: 0o644, mtimeMs: 1, version: "1", links: 1 };

/** What everybody else sees of the connection's processes. */
function processesOf({ fs, processes }: RunnerConnection): Processes {
  return new SessionProcesses({
    source: { backend: async () => processes, existing: async () => processes },
    target: "sandbox",
    workspace: { fs, describe: () => ({ target: "sandbox", cwd: "/workspace", mounts, boundary: "kernel" }) },
    base: () => ({}),
  });
}

describe("a missing or different runner at the other end", () => {
  const connect = (first: (write: (head: object) => void, raw: (bytes: string) => void) => void) => {
    const [local, remote] = duplexPair();
    remote.on("error", () => {}).resume();
    first(
      (head) => void writeFrame(remote, head),
      (bytes) => void remote.write(bytes),
    );
    return { remote, connecting: connectRunner(local, { mounts, startMs: 100, answerMs: 100 }) };
  };

  test.each([
    ["is silent", () => {}],
    ["prints a banner", (_: unknown, raw: (bytes: string) => void) => raw("Welcome! Last login: today\n")],
    ["speaks another version", (say: (head: object) => void) => say({ ...HELLO, hello: 99 })],
    ["greets and does no more", (say: (head: object) => void) => say(HELLO)],
    ["greets twice", (say: (head: object) => void) => [say(HELLO), say(HELLO)]],
    ["sends an empty greeting", (say: (head: object) => void) => say({ hello: 3 })],
  ])("is rejected if it %s", async (_, first) => {
    const failure = await catchFailure(connect(first).connecting);
    expect(failure).toMatchObject({ code: "SANDBOX_NO_RUNNER", category: "operational", receipt: "none" });
    expect(failure.fix).toBeTruthy();
  });

  test("is rejected if it ends at once", async () => {
    const { remote, connecting } = connect(() => {});
    remote.end();
    expect(await catchErrorCode(connecting)).toBe("SANDBOX_NO_RUNNER");
  });

  test("is abandoned after a cancellation", async () => {
    const [local] = duplexPair();
    const controller = new AbortController();
    const connecting = connectRunner(local, { mounts }, controller.signal);
    controller.abort();
    expect(await catchFailure(connecting)).toMatchObject({ code: "ABORTED", receipt: "none" });
    expect(local.destroyed).toBe(true);
  });
});

/** Bytes of a frame with lengths that need not be true. */
function framed(head: string, headLength = Buffer.byteLength(head), bodyLength = 0): Buffer {
  const start = Buffer.alloc(8);
  start.writeUInt32LE(headLength >>> 0, 0);
  start.writeUInt32LE(bodyLength >>> 0, 4);
  return Buffer.concat([start, Buffer.from(head)]);
}

const LIES: Record<string, (runner: FakeRunner, pings: RunnerCall) => void> = {
  "no frame": ({ raw }) => raw("total garbage, and a lot of it\n".repeat(10)),
  "a head of 4 GiB": ({ raw }) => raw(framed("{}", 0xffffffff)),
  "a body of 4 GiB": ({ raw }, { n }) => raw(framed(JSON.stringify({ n }), undefined, 0xffffffff)),
  "a head without JSON": ({ raw }) => raw(framed("{nope")),
  "a head that is a list": ({ raw }) => raw(framed("[]")),
  "a null head": ({ raw }) => raw(framed("null")),
  "a head without a number": ({ send }) => send({ value: STAT }),
  "an unknown number": ({ send }, { n }) => send({ n: n + 1_000, value: STAT }),
  "an invalid number": ({ send }) => send({ n: { toString: "x" }, value: STAT }),
  "the answer twice": ({ send }, { n }) => void [send({ n, value: "x" }), send({ n, value: "x" })],
  "a greeting": ({ send }) => send(HELLO),
  "the wrong type": ({ send }, { n }) => send({ n, value: 7 }),
  nothing: ({ send }, { n }) => send({ n }),
  "a text instead of a number": ({ send }, { n }) => send({ n, value: { ...STAT, size: "3" } }),
  "an unknown type": ({ send }, { n }) => send({ n, value: { ...STAT, type: "constructor" } }),
  "half a frame, then its end": ({ raw, stream }) => void [raw(framed("{}", 100)), stream.end()],
  "its end": ({ stream }) => void stream.end(),
  "more bytes than requested": ({ send }, { n }) => {
    for (let part = 0; part < 5; part++) send({ n, part: true }, new Uint8Array(1 << 20));
  },
  "empty parts, without end": ({ send, stream }, { n }) => {
    const timer = setInterval(() => (stream.destroyed ? clearInterval(timer) : send({ n, part: true })), 20);
    stream.once("close", () => clearInterval(timer));
  },
  silence: () => {},
};

/** Only the time for an answer ends these: the clock of the test goes on when the call is made. */
const ENDLESS = ["empty parts, without end", "silence"];

describe.each(Object.entries(LIES))("a runner that answers with %s", (name, lie) => {
  const connect = async () => {
    const made = await connectFakeRunner(lie, { answerMs: 5_000, maxReadBytes: 2 << 20 });
    if (!ENDLESS.includes(name)) return made;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    const clock = setImmediate(function goOn() {
      vi.advanceTimersByTime(100);
      next = setImmediate(goOn);
    });
    let next = clock;
    onTestFinished(() => {
      clearImmediate(next);
      vi.useRealTimers();
    });
    return made;
  };

  test("makes reads fail, with receipt none", async () => {
    const { connection } = await connect();
    const failure = await catchFailure(connection.fs.read("a"));
    expect(failure).toMatchObject({ code: "SANDBOX_LOST", category: "operational", receipt: "none" });
    expect(await connection.ended).toBeTruthy();
    expect(await catchErrorCode(connection.fs.read("a"))).toBe("SANDBOX_LOST");
  });

  test("makes changes fail, with receipt unknown", async () => {
    const { connection } = await connect();
    const failure = await catchFailure(connection.fs.write("a", Buffer.from("x")));
    expect(failure).toMatchObject({ code: "SANDBOX_LOST", receipt: "unknown" });
    expect(failure.fix).toContain("look before you repeat");
  });

  test("makes a start fail with receipt unknown, and without a retry", async () => {
    const { connection } = await connect();
    const processes = processesOf(connection);
    const start = () => catchFailure(processes.start("one", { script: "true" }));
    expect(await start()).toMatchObject({ code: "SANDBOX_LOST", receipt: "unknown" });
    expect(await start()).toMatchObject({ code: "SANDBOX_LOST", receipt: "unknown" });
    expect(await catchErrorCode(processes.identify([], {}))).toBe("SANDBOX_LOST");
    expect(await catchErrorCode(processes.kill("x"))).toBe("SANDBOX_LOST");
  });
});

describe("errors that the runner invents", () => {
  test.each([
    [{ code: "constructor", why: "x" }],
    [{ code: "__proto__", why: "x", category: "input" }],
    [{ code: 7, why: 7 }],
    [
      {
        code: "FILE_NOT_FOUND",
        why: "x".repeat(100_000),
        category: "nonsense",
        details: ["a"],
        receipt: "?",
      },
    ],
    [{ code: "X".repeat(5_000), why: "x", category: "policy", details: { a: "x".repeat(100_000) } }],
    [{ why: null }],
    [{}],
    ["a text"],
    [{ code: "RUNNER_LOST", why: "x" }],
  ])("%#: have a code and a limited size", async (error) => {
    const { connection } = await connectFakeRunner(({ send }, { n }) => send({ n, error }));
    const processes = processesOf(connection);
    for (const call of [
      () => connection.fs.read("a"),
      () => connection.fs.remove("a"),
      () => processes.start("a", { script: "x" }),
    ]) {
      const failure = await catchFailure(call());
      expect(failure.code).toMatch(/^[A-Z][A-Z_]+$/);
      expect(["input", "policy", "operational"]).toContain(failure.category);
      expect(failure.message.length).toBeLessThan(10_000);
      expect(JSON.stringify(failure.details ?? {}).length).toBeLessThan(20_000);
    }
  });
});

test("never lists invalid names", async () => {
  for (const name of ["..", "a/b", "/etc/passwd", "", "a\0b"]) {
    const { connection } = await connectFakeRunner(({ send }, { n }) =>
      send({ n, value: { entries: [{ name, type: "file" }], truncated: false } }),
    );
    expect(await catchErrorCode(connection.fs.list("."))).toBe("SANDBOX_LOST");
  }
});

test("ignores additional fields of an answer", async () => {
  const { connection } = await connectFakeRunner(({ raw }, { n }) => {
    const head = `{"n":${n},"value":{"__proto__":{"polluted":1},"extra":1,${JSON.stringify(STAT).slice(1)}}`;
    raw(framed(head));
  });
  expect(await connection.fs.stat("a")).toStrictEqual(STAT);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("limits the memory for a runner that never stops sending", async () => {
  const { connection, runner } = await connectFakeRunner(() => {});
  const before = process.memoryUsage().rss;
  const reading = catchFailure(connection.fs.read("a"));
  let sent = 0;
  await new Promise<void>((resolve) => {
    const piece = framed(`{"n":2,"part":true}`, undefined, 1 << 20);
    const body = Buffer.alloc(1 << 20);
    const more = (): void => {
      if (runner.stream.destroyed || sent > 500) return resolve();
      sent++;
      runner.raw(piece);
      runner.stream.write(body, () => setImmediate(more));
    };
    runner.stream.once("close", resolve);
    void connection.ended.then(() => resolve());
    more();
  });
  expect((await reading).code).toBe("SANDBOX_LOST");
  expect(sent).toBeLessThan(80);
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
});

test("abandons a runner that does not read, with its writers", async () => {
  const { connection, runner } = await connectFakeRunner(() => {}, { answerMs: 300 });
  runner.stream.pause();
  const failure = await catchFailure(connection.fs.write("a", new Uint8Array(20_000_000)));
  expect(failure).toMatchObject({ code: "SANDBOX_LOST", receipt: "unknown" });
});

describe("a runner with a long call", () => {
  test("is abandoned if it is silent", async () => {
    const { connection } = await connectFakeRunner(() => {}, { answerMs: 60_000, silentMs: 200 });
    const failure = await catchFailure(connection.fs.read("a"));
    expect(failure).toMatchObject({ code: "SANDBOX_LOST", receipt: "none" });
    expect(failure.message).toContain("silent for 200 ms");
  });

  test("is awaited if it answers a ping", async () => {
    let pings = 0;
    let owed = 0;
    // It owes the answer until it was asked twice whether it is there.
    const answer = ({ send }: FakeRunner, { n, op }: RunnerCall): void => {
      if (op !== "info") owed = n;
      else send({ n, value: null });
      if (op === "info" && ++pings === 2) send({ n: owed, value: STAT });
    };
    const { connection } = await connectFakeRunner(answer, { answerMs: 60_000, silentMs: 3_000 });
    expect(await connection.fs.stat("a")).toMatchObject({ type: "file" });
  });

  test("gets no ping without an open call", async () => {
    let pings = 0;
    const { connection } = await connectFakeRunner(
      ({ send }, { n }) => void [pings++, send({ n, value: STAT })],
      {
        silentMs: 20,
      },
    );
    await connection.fs.stat("a");
    // On a busy machine it was asked while the answer was owed.
    const before = pings;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(pings).toBe(before);
  });
});

test("ends a cancelled call soon, with any answer of the runner", async () => {
  const { connection } = await connectFakeRunner(() => {}, { answerMs: 60_000 });
  const controller = new AbortController();
  const reading = catchFailure(connection.fs.read("a", { signal: controller.signal }));
  controller.abort();
  expect(await reading).toMatchObject({ code: "ABORTED", receipt: "none" });
  const second = new AbortController();
  const writing = catchFailure(connection.fs.write("a", Buffer.from("x"), { signal: second.signal }));
  second.abort();
  expect(await writing).toMatchObject({ code: "ABORTED", receipt: "unknown" });
});

property.prop([fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 20 })], { numRuns: scaleRuns(60, 3) })(
  "turns any bytes into an answer or a coded error",
  async (pieces) => {
    const { connection } = await connectFakeRunner(({ raw, stream }) => {
      for (const piece of pieces) raw(piece);
      stream.end();
    });
    const thrown: unknown = await connection.fs.stat("a").catch((error: unknown) => error);
    expect(HaftError.is(thrown)).toBe(true);
  },
);
