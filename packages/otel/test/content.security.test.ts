import { HaftError, text } from "@haft/core";
import { describe, expect, test } from "vitest";
import { createTelemetry, startTelemetry } from "../src/index.ts";
import { echo, openObservedSession, createTool } from "./support/observed-session.ts";

const SECRET = "sk-ant-api03-AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHHIIIIJJJJ";

test("spans contain neither arguments nor results by default", async () => {
  const { sdk, session } = await openObservedSession({ tools: [echo] });
  await session.call({ id: "1", name: "echo", arguments: { value: "my own words" } });
  const span = sdk.findSpan("1");
  expect(JSON.stringify([span.name, span.attributes, span.events, span.status])).not.toContain(
    "my own words",
  );
});

describe("with arguments or results enabled", () => {
  test("masks secrets in arguments and results", async () => {
    const { sdk, session } = await openObservedSession({
      tools: [echo],
      content: { arguments: true, results: true },
    });
    await session.call({ id: "1", name: "echo", arguments: { value: `the key is ${SECRET}, he said` } });
    const { attributes } = sdk.findSpan("1");
    expect(attributes["gen_ai.tool.call.arguments"]).toMatch(/^\{"value":"the key is .*, he said"\}$/);
    expect(attributes["gen_ai.tool.call.result"]).toMatch(/^the key is .*, he said$/);
    expect(JSON.stringify(attributes)).not.toContain(SECRET.slice(0, 30));
  });

  test("truncates a long text to its beginning, size and hash", async () => {
    const { sdk, session } = await openObservedSession({
      tools: [echo],
      content: { arguments: true, results: true },
    });
    await session.call({ id: "1", name: "echo", arguments: { value: "long ".repeat(10_000) } });
    const { attributes } = sdk.findSpan("1");
    for (const name of ["gen_ai.tool.call.arguments", "gen_ai.tool.call.result"]) {
      expect(String(attributes[name]).length).toBeLessThan(20_000);
      expect(attributes[name]).toContain("sha256");
    }
  });

  test("enables arguments and results separately", async () => {
    const { sdk, session } = await openObservedSession({ tools: [echo], content: { results: true } });
    await session.call({ id: "1", name: "echo", arguments: { value: "a" } });
    const { attributes } = sdk.findSpan("1");
    expect(attributes["gen_ai.tool.call.result"]).toBe("a");
    expect(attributes).not.toHaveProperty("gen_ai.tool.call.arguments");
  });

  test("omits arguments of invalid calls and the bytes of images", async () => {
    const image = createTool("image", () => ({
      content: [
        text("a picture"),
        { type: "image", data: Buffer.from(SECRET).toString("base64"), mimeType: "image/png" },
      ],
      details: { key: SECRET },
    }));
    const { sdk, session } = await openObservedSession({
      tools: [echo, image],
      content: { arguments: true, results: true },
    });
    await session.call({ id: "1", name: "echo", arguments: `{"valu${SECRET}` });
    await session.call({ id: "2", name: "image" });
    expect(sdk.findSpan("1").attributes).not.toHaveProperty("gen_ai.tool.call.arguments");
    expect(sdk.findSpan("2").attributes["gen_ai.tool.call.result"]).toBe("a picture");
  });
});

test("a middleware that fails, enters twice or never enters does not affect the call", async () => {
  const { session } = await openObservedSession({ tools: [echo] });
  const call = (id: string) => session.call({ id, name: "echo", arguments: { value: id } });
  const stops = [
    session.addMiddleware(() => {
      throw new Error("broken");
    }),
    session.addMiddleware((_call, enter) => {
      enter();
      enter();
    }),
    session.addMiddleware(() => {}),
  ];
  expect(await call("1")).toMatchObject({ kind: "ok", content: [text("1")] });
  for (const stop of stops) stop();
  expect(await call("2")).toMatchObject({ kind: "ok" });
  expect(session.ledger().map(({ status }) => status)).toEqual(["completed", "completed"]);
});

test.each([
  ["an unknown option", { argument: true }],
  ["an option that is not a boolean", { arguments: "yes" }],
])("rejects %s", async (_what, options) => {
  const code = (thrown: unknown) => HaftError.is(thrown) && thrown.code;
  expect(() => createTelemetry(options as never)).toThrow(
    expect.objectContaining({ code: "INVALID_OPTIONS" }) as Error,
  );
  expect(await startTelemetry(options as never).catch(code)).toBe("INVALID_OPTIONS");
});
