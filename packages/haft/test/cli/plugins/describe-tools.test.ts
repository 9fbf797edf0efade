import { expect, test } from "vitest";
import { toolLines } from "../../../src/cli/plugins/describe-tools.ts";

test("lists the declared effects of a factory's tools before they are added", () => {
  const lines = toolLines({
    id: "stations",
    registrations: [
      { names: ["station"], effects: ["network"], scope: "session" },
      { names: ["notes"], effects: [], scope: "session" },
      { names: ["odd"], scope: "session" },
    ],
  });
  expect(lines.map((line) => line.replaceAll(/ +/g, " "))).toEqual([
    "station network created by its factory for each session",
    "notes declares no effects created by its factory for each session",
    "odd created by its factory for each session",
  ]);
});
