import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { assignToolNames } from "../../src/index.ts";

const server = fc.stringMatching(/^[a-z][a-z0-9-]{0,23}$/);
const tool = fc.stringMatching(/^[A-Za-z0-9_./ -]{1,60}$/);

test("the tools of two servers have different names", () => {
  expect([...assignToolNames("a-b", ["ping"]).values()]).toEqual(["a-b_ping"]);
  expect([...assignToolNames("a", ["b_ping"]).values()]).toEqual(["a_b_ping"]);
});

property.prop([fc.uniqueArray(server, { maxLength: 4 }), fc.uniqueArray(tool, { maxLength: 6 })])(
  "every tool has a name of its own, which model providers accept",
  (servers, tools) => {
    const names = servers.flatMap((each) => [...assignToolNames(each, tools).values()]);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,48}$/);
  },
);
