import { expect, test } from "vitest";
import { isUnmappedRoot, unmappedUser } from "../src/programs/examine-program.ts";

test.each([
  ["the first namespace", "         0          0 4294967295\n", false],
  ["root is somebody", "         0       1000          1\n", false],
  ["root is one of several", "      1000       1000          1\n         0     100000      65536\n", false],
  ["no root", "      1000       1000          1\n", 65534n],
  ["nothing is known", undefined, false],
  ["nothing that can be read", "what\n", false],
])("%s", (_what, map, user) => {
  expect(unmappedUser(map, "65534\n")).toBe(user);
});

test("without its number no user is known, and root is known here", () => {
  expect(unmappedUser("1000 1000 1\n", undefined)).toBe(false);
  expect(isUnmappedRoot("/usr/bin/env", 4321n)).toBe(false);
});
