import { describe, expect, test } from "vitest";
import type { SessionEvent } from "../../src/contract/events.ts";
import {
  answer,
  echo,
  eventTypes,
  createGate,
  makeTool,
  memoryLogger,
  openSession,
  createTestPolicy,
  waitUntilSettled,
  watch,
  createThrower,
} from "../support/kernel.ts";

const boom = createThrower(new Error("boom"));

describe("the events of a call", () => {
  const cases: [string, { name: string; arguments?: unknown }, string[]][] = [
    ["that succeeds", { name: "echo", arguments: { value: "a" } }, ["tool-start", "tool-end"]],
    ["that fails", { name: "fail" }, ["tool-start", "tool-end"]],
    ["with invalid arguments", { name: "echo", arguments: { value: 1, b: 2 } }, ["tool-end"]],
    ["of an unknown tool", { name: "nobody" }, ["tool-end"]],
    ["of a hidden tool", { name: "hidden" }, ["tool-blocked", "tool-end"]],
    ["that is denied", { name: "denied" }, ["tool-blocked", "tool-end"]],
  ];

  test.for(cases)("end with exactly one tool-end for a call %s", async ([_what, request, expected]) => {
    const session = await openSession({
      tools: [echo(), makeTool("fail", { execute: boom }), makeTool("hidden"), makeTool("denied")],
      policy: createTestPolicy({
        visibility: ({ name }) => (name === "hidden" ? "deny" : "allow"),
        call: ({ name }) => (name === "denied" ? "deny" : "allow"),
      }),
    });
    const events = watch(session);
    const outcome = await session.call({ id: "1", ...request });
    expect(eventTypes(events)).toEqual(expected);
    expect(events.at(-1)).toMatchObject({ toolCallId: "1", outcome });
  });

  test("do not mix with events of parallel calls", async () => {
    const gates = [createGate(), createGate(), createGate()];
    const tool = echo("wait", {
      execute: (_id, { value }) => gates[Number(value)]!.promise.then(() => answer("done")),
    });
    const session = await openSession({ tools: [tool] });
    const events = watch(session);
    const calls = gates.map((_, index) =>
      session.call({ id: `${index}`, name: "wait", arguments: { value: `${index}` } }),
    );
    for (const { resolve } of gates.toReversed()) {
      resolve();
      await waitUntilSettled();
    }
    await Promise.all(calls);
    for (const id of ["0", "1", "2"]) expect(eventTypes(events, id)).toEqual(["tool-start", "tool-end"]);
    const ends = events.filter((event) => event.type === "tool-end").map(({ toolCallId }) => toolCallId);
    expect(ends).toEqual(["2", "1", "0"]);
  });

  test("come after the update of the ledger", async () => {
    const session = await openSession({ tools: [echo()] });
    const seen: string[] = [];
    session.subscribe((event) => {
      if ("toolCallId" in event) seen.push(`${event.type} ${session.ledger().at(-1)!.status}`);
    });
    await session.call({ name: "echo", arguments: { value: "a" } });
    expect(seen).toEqual(["tool-start executing", "tool-end completed"]);
  });
});

describe("listeners", () => {
  test("that throw, at once or later, affect neither the call nor others", async () => {
    const logger = memoryLogger();
    const session = await openSession({ tools: [echo()], logger });
    session.subscribe(boom);
    session.subscribe(() => Promise.reject(new Error("later")) as never);
    session.subscribe(createThrower(Object.create(null)));
    const events = watch(session);
    expect(await session.call({ name: "echo", arguments: { value: "a" } })).toMatchObject({ kind: "ok" });
    await waitUntilSettled();
    expect(eventTypes(events)).toEqual(["tool-start", "tool-end"]);
    expect(logger.lines).toEqual(Array(6).fill("A session listener threw."));
  });

  test("get no events after they unsubscribe, also during an event", async () => {
    const session = await openSession({ tools: [echo()] });
    const received: SessionEvent[] = [];
    const stop = session.subscribe((event) => {
      received.push(event);
      stop();
    });
    await session.call({ name: "echo", arguments: { value: "a" } });
    expect(received).toHaveLength(1);
    stop();
  });

  test("get no earlier events", async () => {
    const session = await openSession({ tools: [echo()] });
    await session.call({ name: "echo", arguments: { value: "a" } });
    expect(watch(session)).toEqual([]);
  });
});
