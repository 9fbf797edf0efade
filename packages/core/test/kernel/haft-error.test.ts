import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { defineErrors, HaftError } from "../../src/index.ts";
import { getCode, makeTool, openSession, getOutcomeText, createThrower } from "../support/kernel.ts";

test.for([[], [undefined], [null], [{}]])("has defaults without options: %j", async (rest) => {
  const error = new HaftError("STATION_SILENT", "Station 7 is silent.", ...(rest as []));
  expect(error).toMatchObject({
    code: "STATION_SILENT",
    message: "Station 7 is silent.",
    category: "operational",
    fix: undefined,
  });
  expect(HaftError.is(error)).toBe(true);
  const tool = makeTool("act", {
    execute: createThrower(error),
  });
  const outcome = await (await openSession({ tools: [tool] })).call({ name: "act" });
  expect(getCode(outcome)).toBe("STATION_SILENT");
  expect(getOutcomeText(outcome)).toContain("Station 7 is silent.");
});

test("has defaults for missing options", () => {
  const error = new HaftError("X", "It failed.", { fix: "Try again." });
  expect(error).toMatchObject({ category: "operational", fix: "Try again." });
});

test.for<[unknown, string]>([
  [{ a: 1 }, '{"a":1}'],
  [{ toString: () => "its own" }, "its own"],
  [undefined, "undefined"],
  ["a text", "a text"],
])("returns a text for any thrown value: %j", async ([thrown, text]) => {
  const tool = makeTool("act", {
    execute: createThrower(thrown),
  });
  expect(getOutcomeText(await (await openSession({ tools: [tool] })).call({ name: "act" }))).toContain(text);
});

test("prints name, message, code and fix of an uncaught error", () => {
  const thrown = new HaftError("SOME_CODE", "It did not work.", {
    category: "input",
    fix: "Do it otherwise.",
  });
  // What Node prints at the end.
  const shown = inspect(thrown);
  expect(shown).toMatch(/^HaftError: It did not work\.\n {4}at /);
  expect(shown).toContain("code: 'SOME_CODE'");
  expect(shown).toContain("fix: 'Do it otherwise.'");
});

const forms = {
  "plain entries": defineErrors(() => ({
    STATION_SILENT: {
      category: "operational",
      meaning: "The station does not answer.",
      fix: "Ask again in a minute.",
      receipt: "none",
    },
  })),
  "entries by category": defineErrors(({ operational }) => ({
    STATION_SILENT: operational("The station does not answer.", "Ask again in a minute.", "none"),
  })),
};

describe.each(Object.entries(forms))("a catalogue of %s", (_name, weatherError) => {
  test("gives every error of a code its facts", () => {
    const error = weatherError("STATION_SILENT", "Station 7 did not answer.");
    expect(error).toBeInstanceOf(HaftError);
    expect(error).toMatchObject({
      code: "STATION_SILENT",
      category: "operational",
      message: "Station 7 did not answer.",
      fix: "Ask again in a minute.",
      receipt: "none",
    });
  });

  test("lets an error override facts", () => {
    const error = weatherError("STATION_SILENT", "It broke.", { fix: "Call somebody.", receipt: "unknown" });
    expect(error).toMatchObject({ fix: "Call somebody.", receipt: "unknown", category: "operational" });
  });

  test("can be read as a table", () => {
    expect(weatherError.catalogue.STATION_SILENT.meaning).toBe("The station does not answer.");
  });
});
