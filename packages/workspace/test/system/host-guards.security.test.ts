import { afterEach, beforeEach, expect, test } from "vitest";
import { addHostGuards, hostGuards, type HostGuards } from "../../src/system/host-guards.ts";

const holder = globalThis as Record<symbol, unknown>;
const KEY = Symbol.for("@haft/workspace: guards of hosts");
let before: unknown;

beforeEach(() => {
  before = holder[KEY];
  holder[KEY] = undefined;
});
afterEach(() => {
  holder[KEY] = before;
});

test("hosts with the same code share one search for it, and keep their own closed paths", () => {
  let searches = 0;
  const guardsOf = (closed: string): HostGuards => ({
    closed: [closed],
    code: () => {
      searches += 1;
      return ["/code"];
    },
  });
  const counts = ["/a/**", "/b/**", "/c/**"].map((closed) => {
    addHostGuards("same", guardsOf(closed));
    return hostGuards().count;
  });
  expect(hostGuards().closed).toEqual(["/a/**", "/b/**", "/c/**"]);
  expect(hostGuards().code(["/"])).toEqual(["/code"]);
  expect(searches).toBe(1);
  expect(counts).toEqual([...new Set(counts)].toSorted((one, other) => one - other));
  addHostGuards("other", { closed: [], code: () => ["/other"] });
  expect(hostGuards().code(["/"])).toEqual(["/code", "/other"]);
});
