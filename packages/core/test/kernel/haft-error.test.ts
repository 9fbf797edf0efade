import { expect, test } from "vitest";
import { HaftError } from "../../src/contract/errors.ts";
import { codeOf, makeTool, openSession, said, thrower } from "../support/kernel.ts";

test.for([[], [undefined], [null], [{}]])("without options it says what it was told: %j", async (rest) => {
  const error = new HaftError("STATION_SILENT", "Station 7 is silent.", ...(rest as []));
  expect(error).toMatchObject({
    code: "STATION_SILENT",
    message: "Station 7 is silent.",
    category: "operational",
    fix: undefined,
  });
  expect(HaftError.is(error)).toBe(true);
  const tool = makeTool("act", {
    execute: thrower(error),
  });
  const outcome = await (await openSession({ tools: [tool] })).call({ name: "act" });
  expect(codeOf(outcome)).toBe("STATION_SILENT");
  expect(said(outcome)).toContain("Station 7 is silent.");
});

test("with some of them the others have their defaults", () => {
  const error = new HaftError("X", "It failed.", { fix: "Try again." });
  expect(error).toMatchObject({ category: "operational", fix: "Try again." });
});

test.for<[unknown, string]>([
  [{ a: 1 }, '{"a":1}'],
  [{ toString: () => "its own" }, "its own"],
  [undefined, "undefined"],
  ["a text", "a text"],
])("what else is thrown has a text: %j", async ([thrown, text]) => {
  const tool = makeTool("act", {
    execute: thrower(thrown),
  });
  expect(said(await (await openSession({ tools: [tool] })).call({ name: "act" }))).toContain(text);
});
