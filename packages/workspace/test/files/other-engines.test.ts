import { tmpdir } from "node:os";
import { afterEach, expect, test } from "vitest";
import { createHostWorkspace } from "../../src/index.ts";

const { versions } = process;
afterEach(() => void Object.defineProperty(process, "versions", { value: versions }));

test.each([
  [{ bun: "1.4.5" }, "Bun 1.4.5"],
  [{ deno: "2.9.6" }, "Deno 2.9.6"],
])("rejects host files on %j, which would read them incorrectly", (more, named) => {
  Object.defineProperty(process, "versions", { value: { ...versions, ...more }, configurable: true });
  expect(() => createHostWorkspace({ root: tmpdir() })).toThrow(
    expect.objectContaining({
      code: "PLATFORM_UNSUPPORTED",
      message: expect.stringContaining(named),
      fix: "Run this program with Node.",
    }),
  );
});
