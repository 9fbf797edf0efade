import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { coreError } from "../../src/errors.ts";
import { listCauses, messageWithCauses } from "../../src/format/causes.ts";
import { factoryPlugin, makeTool, openSession, getOutcomeText, createThrower } from "../support/kernel.ts";

const throwing = (thrown: unknown) =>
  makeTool("fail", {
    execute: createThrower(thrown),
  });

test("tells which connection of a tool failed, and why", async () => {
  // A port that was just given back.
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  const url = `http://127.0.0.1:${port}/`;
  // Each engine says it in its own words, and some say all of it at once.
  const thrown = (await fetch(url).catch((error: unknown) => error)) as Error;
  const tool = makeTool("fetch_it", { execute: () => fetch(url) as never });
  const session = await openSession({ tools: [tool] });
  const outcome = await session.call({ name: "fetch_it" });
  expect(outcome).toMatchObject({ kind: "error", code: "TOOL_FAILED" });
  expect(outcome.details["message"]).toContain(thrown.message);
  expect(getOutcomeText(outcome)).toMatch(/refused|Unable to connect/i);
  expect(outcome.details["causes"]).toEqual(thrown.cause === undefined ? undefined : [expect.any(String)]);
});

describe("the chain of causes", () => {
  const refused = (address: string) =>
    Object.assign(new Error(`connect ECONNREFUSED ${address}:80`), { code: "ECONNREFUSED" });
  /** As Node makes them where it tried several addresses. */
  const silent = (errors: Error[]) => Object.assign(new AggregateError(errors, "several"), { message: "" });
  const cases: [string, unknown, string[]][] = [
    ["none", new Error("a"), []],
    ["one", new Error("a", { cause: new Error("b") }), ["b"]],
    ["several, nearest first", new Error("a", { cause: new Error("b", { cause: "c" }) }), ["b", "c"]],
    [
      "with the code that the message lacks",
      new Error("a", { cause: Object.assign(new Error("b"), { code: "E_B" }) }),
      ["b (E_B)"],
    ],
    [
      "of a HaftError, with its code",
      new Error("a", { cause: coreError("SESSION_CLOSED", "It is closed.") }),
      ["It is closed. (SESSION_CLOSED)"],
    ],
    [
      "an AggregateError that says nothing itself",
      new Error("fetch failed", { cause: silent([refused("::1"), refused("127.0.0.1")]) }),
      ["connect ECONNREFUSED ::1:80", "connect ECONNREFUSED 127.0.0.1:80"],
    ],
    [
      "an AggregateError itself",
      new AggregateError([new Error("b", { cause: new Error("disk full") }), "c"], "all failed"),
      ["b", "disk full", "c"],
    ],
    ["repeated text", new Error("a: b", { cause: new Error("b") }), []],
    [
      "a circle",
      (() => {
        const one = new Error("a");
        one.cause = new Error("b", { cause: one });
        return one;
      })(),
      ["b"],
    ],
    ["lines become one", new Error("a", { cause: new Error("b\n  c") }), ["b c"]],
    ["null as no cause", new Error("a", { cause: null }), []],
  ];
  test.for(cases)("has the text of the causes: %s", ([_what, thrown, causes]) => {
    expect(listCauses(thrown)).toEqual(causes);
  });

  test("has a limited number and length", () => {
    let chain = new Error("end");
    for (let index = 0; index < 1_000; index++) chain = new Error(`e${index}`, { cause: chain });
    expect(listCauses(chain)).toHaveLength(9);
    expect(listCauses(chain).at(-1)).toBe("more causes, not shown");
    const many = new AggregateError(
      Array.from({ length: 1_000 }, (_, index) => new Error(`e${index}`)),
      "many",
    );
    expect(listCauses(many)).toHaveLength(9);
    const [long] = listCauses(new Error("a", { cause: new Error("x".repeat(1_000_000)) }));
    expect(long!.length).toBeLessThan(400);
  });

  test("accepts any thrown value", () => {
    const hostile = {
      message: "a",
      get cause(): never {
        throw new Error("no");
      },
    };
    const proxy = new Proxy(
      {},
      {
        get: createThrower(new Error("no")),
      },
    );
    expect(listCauses(hostile)).toEqual([]);
    expect(listCauses(new Error("a", { cause: proxy }))).toEqual(["an unreadable error"]);
    for (const thrown of [undefined, null, 7, "x", Symbol("s"), Object.create(null)])
      expect(listCauses(thrown)).toEqual([]);
  });

  test("masks secrets, also at a cut", () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    for (const before of [0, 280]) {
      const cause = new Error(
        `${"x ".repeat(before / 2)}GET https://u:hunter2pass@example.com token=${secret}`,
      );
      const shown = messageWithCauses(new Error("a", { cause }));
      expect(shown).not.toContain(secret.slice(0, 12));
    }
    expect(listCauses(new Error("a", { cause: new Error(`token=${secret}`) }))[0]).toContain("[secret]");
  });
});

test("keeps the text of a HaftError", async () => {
  const error = coreError("SESSION_CLOSED", "It is closed.", { cause: new Error("inner") });
  expect(messageWithCauses(error)).toBe("It is closed.");
  const session = await openSession({ tools: [throwing(error)] });
  expect(getOutcomeText(await session.call({ name: "fail" }))).not.toContain("inner");
});

test("reports all causes of a failed factory", async () => {
  const plugin = factoryPlugin(
    "p",
    ["pin"],
    createThrower(new Error("no database", { cause: new Error("connect ECONNREFUSED 127.0.0.1:5432") })),
  );
  const session = await openSession({ plugins: [plugin] });
  expect(session.missing()).toMatchObject([
    { reason: expect.stringContaining("no database (caused by: connect ECONNREFUSED 127.0.0.1:5432).") },
  ]);
});
