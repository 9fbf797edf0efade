import { definePlugin, defineTool, text } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { formats } from "../support/formats.ts";
import { openSession } from "../support/open-session.ts";
import { providerTools } from "../support/provider-tools.ts";

/** Tools that say what runs beside what. */
function counters() {
  const seen = { now: 0, most: 0, order: [] as string[] };
  const tool = (name: string, effects: ("read" | "write")[]) =>
    defineTool({
      name,
      description: "Counts.",
      parameters: Type.Object({ n: Type.Integer() }),
      effects,
      async execute(_id, { n }) {
        seen.most = Math.max(seen.most, ++seen.now);
        seen.order.push(`${name} ${n} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        seen.now--;
        seen.order.push(`${name} ${n} ends`);
        return { content: [text(`${name} ${n}`)], details: {} };
      },
    });
  return {
    seen,
    plugin: definePlugin({ id: "c", tools: [tool("look", ["read"]), tool("change", ["write"])] }),
  };
}

const SEND = { id: "a", name: "send", args: { to: "ada" } };
const GREET = { id: "b", name: "greet", args: { name: "Ada" } };

const sent = (session: Session) => session.ledger().filter(({ status }) => status === "completed").length;

describe.each(formats)("$name", ({ createAnswer, message, calls, answers }) => {
  test("ids that are missing, repeated or nonsense: each call has its own, and its answer", async () => {
    await using session = await openSession([providerTools]);
    const given = ["a", "a", "", 7, "x".repeat(300), "sp ace\u0000", "b"].map((id, n) => ({
      id,
      name: "send",
      args: { to: `${n}` },
    }));
    const turn = await createAnswer(session)(message(given));
    const ids = calls(turn);
    expect(new Set(ids).size).toBe(given.length);
    expect([ids[0], ids.at(-1)]).toEqual(["a", "b"]);
    expect(answers(turn)).toEqual(ids.map((id, n) => ({ id, text: `sent to ${n}` })));
    expect(sent(session)).toBe(given.length);
  });

  test("ids that count anew in each message", async () => {
    await using session = await openSession([providerTools]);
    const answer = createAnswer(session);
    const asked = () => message([{ id: "call_0", name: "note", args: { line: "x" } }]);
    const turns = [await answer(asked()), await answer(asked())];
    expect(turns.flatMap(answers).map(({ text: said }) => said)).toEqual(["noted", "noted"]);
    expect(new Set(turns.flatMap(calls)).size).toBe(2);
    expect(sent(session)).toBe(2);
  });

  test("runs a call whose id another bridge used", async () => {
    await using session = await openSession([providerTools]);
    await session.call({ id: "call_0", name: "note", arguments: { line: "x" } });
    const turn = await createAnswer(session)(message([{ id: "call_0", name: "note", args: { line: "x" } }]));
    expect(answers(turn)).toEqual([{ id: "call_0", text: "noted" }]);
    expect(sent(session)).toBe(2);
  });

  test("the same message again runs nothing again, also while it runs", async () => {
    await using session = await openSession([providerTools]);
    const answer = createAnswer(session);
    const asked = message([SEND]);
    const [first, second] = await Promise.all([answer(asked), answer(asked)]);
    expect([second, await answer(asked)]).toEqual([first, first]);
    expect(sent(session)).toBe(1);
  });

  test("reports that a call waits for approval, and its outcome when the same message arrives again", async () => {
    await using session = await openSession([providerTools], { rules: { ask: ["send"] } });
    const answer = createAnswer(session);
    const asked = message([SEND, GREET]);
    const turn = await answer(asked);
    expect(turn.outcomes.map(({ kind }) => kind)).toEqual(["pending", "ok"]);
    expect(answers(turn)[0]?.text).toMatch(/^Waiting for approval/);
    const [request] = session.pendingApprovals();
    await session.resolveApproval(request!.approvalId, "allow-once");
    expect(answers(await answer(asked)).map(({ text: said }) => said)).toEqual([
      "sent to ada",
      "Hello, Ada.",
    ]);
  });

  test("an approval that never comes, and a call behind it: an abort answers both", async () => {
    const aborter = new AbortController();
    await using session = await openSession([providerTools], {
      rules: { ask: ["send"] },
      approver: { ask: () => new Promise(() => aborter.abort()) },
    });
    const asked = message([SEND, GREET]);
    const turn = await createAnswer(session)(asked, { signal: aborter.signal });
    expect(turn.outcomes.map(({ kind }) => kind)).toEqual(["cancelled", "cancelled"]);
    expect(answers(turn).map(({ id }) => id)).toEqual(["a", "b"]);
  });

  test("a call that is aborted while it runs", async () => {
    await using session = await openSession([providerTools]);
    const aborter = new AbortController();
    const heard: unknown[] = [];
    const turn = await createAnswer(session)(message([{ id: "a", name: "wait" }]), {
      signal: aborter.signal,
      onUpdate(update) {
        heard.push(update);
        aborter.abort();
      },
    });
    expect(heard).toMatchObject([
      { toolCallId: "a", toolName: "wait", partial: { content: [{ text: "waiting" }] } },
    ]);
    expect(turn.outcomes).toMatchObject([{ kind: "cancelled" }]);
    expect(answers(turn)[0]?.text).toMatch(/^Cancelled/);
  });

  test("answers every call if the session is or becomes closed", async () => {
    const session = await openSession([providerTools]);
    const answer = createAnswer(session);
    const asked = message([
      { id: "a", name: "wait" },
      { id: "b", name: "send", args: { to: "ada" } },
    ]);
    const turn = await answer(asked, { onUpdate: () => void session.close() });
    expect(turn.outcomes).toMatchObject([{ kind: "cancelled" }, { code: "SESSION_CLOSED" }]);
    expect(answers(turn).map(({ id }) => id)).toEqual(["a", "b"]);
    const later = await answer(message([{ id: "c", name: "greet", args: { name: "Ada" } }]));
    expect(answers(later)).toMatchObject([{ id: "c", text: expect.stringMatching(/closed/) as string }]);
  });

  test("a hundred calls at once: some at a time, answered in their order", async () => {
    const { seen, plugin } = counters();
    await using session = await openSession([plugin]);
    const asked = Array.from({ length: 100 }, (_, n) => ({ id: `c${n}`, name: "look", args: { n } }));
    const turn = await createAnswer(session)(message(asked));
    expect(answers(turn)).toEqual(asked.map(({ id, args: { n } }) => ({ id, text: `look ${n}` })));
    expect(seen.most).toBe(16);
  });

  test("runs a changing call alone, between the calls before and after it", async () => {
    const { seen, plugin } = counters();
    await using session = await openSession([plugin]);
    const asked = ["look", "look", "change", "look", "look", "change"].map((tool, n) => ({
      id: `c${n}`,
      name: tool,
      args: { n },
    }));
    await createAnswer(session)(message(asked));
    const place = (line: string) => seen.order.indexOf(line);
    expect(place("change 2 begins")).toBe(4);
    expect(place("change 2 ends")).toBe(5);
    expect(seen.order.slice(-2)).toEqual(["change 5 begins", "change 5 ends"]);
    expect(seen.most).toBe(2);
  });

  test("five megabytes: the model reads a part", async () => {
    await using session = await openSession([providerTools]);
    const turn = await createAnswer(session)(message([{ id: "a", name: "dump", args: { megabytes: 5 } }]));
    expect(JSON.stringify(turn.messages).length).toBeLessThan(200_000);
    expect(answers(turn)[0]?.text).toContain("[Cut: ");
  });

  test("handles unknown names and other spellings of names", async () => {
    await using session = await openSession([providerTools]);
    const asked = ["toString", "functions.Greet", ""].map((tool, n) => ({
      id: `c${n}`,
      name: tool,
      args: { who: "Ada" },
    }));
    const said = answers(await createAnswer(session)(message(asked))).map(({ text: each }) => each);
    expect(said[0]).toMatch(/There is no tool "toString"/);
    expect(said[1]).toBe("Hello, Ada.");
    expect(said[2]).toMatch(/^Error: /);
  });

  test("no calls are the end of a turn", async () => {
    await using session = await openSession([providerTools]);
    const turn = await createAnswer(session)(message([]));
    expect(turn.outcomes).toEqual([]);
    expect(turn.results).toEqual([]);
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["a text", "hello"],
    ["a message of a person", { role: "user", content: [] }],
    ["a whole answer of the API", { choices: [], candidates: [], output: [], stop_reason: null }],
  ])("runs no call for %s, which is not a message", async (_what, given) => {
    await using session = await openSession([providerTools]);
    await expect(createAnswer(session)(given as object)).rejects.toMatchObject({
      code: "BRIDGE_INVALID",
      message: expect.stringMatching(/^answer takes /),
    });
    expect(session.ledger()).toEqual([]);
  });
});

describe.each(formats.filter(({ name }) => name.startsWith("OpenAI")))(
  "$name",
  ({ createAnswer, message, answers }) => {
    test("broken JSON is repaired where it has one reading", async () => {
      await using session = await openSession([providerTools]);
      const asked = ['{"name":"Ada",}', '```json\n{"name":"Ada"}\n```', '{"name":"A'].map((args, n) => ({
        id: `c${n}`,
        name: "greet",
        args,
      }));
      const said = answers(await createAnswer(session)(message(asked))).map(({ text: each }) => each);
      expect(said.slice(0, 2)).toEqual(["Hello, Ada.", "Hello, Ada."]);
      expect(said[2]).toMatch(/not JSON: the text ends inside a string/);
    });
  },
);
