import { fc, test as property } from "@fast-check/vitest";
import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { commandLineSessionKey, type SessionConversation } from "../../../src/cli/location/session-key.ts";

const names = fc.option(fc.constantFrom("", "a", "b", "a,b", "null", '","'), { nil: undefined });
const conversations: fc.Arbitrary<SessionConversation> = fc.record({
  kind: fc.constantFrom("main", "group", "sandboxed"),
  channel: names,
  group: names,
});

property.prop([conversations, conversations])(
  "two conversations have one key only if they are one",
  (one, other) => {
    const same =
      JSON.stringify([one.kind, one.channel ?? null, one.group ?? null]) ===
      JSON.stringify([other.kind, other.channel ?? null, other.group ?? null]);
    expect(commandLineSessionKey("/", one) === commandLineSessionKey("/", other)).toBe(same);
  },
);

property.prop([conversations])("it is the one that was kept before: of SHA-256, as Node has it", (one) => {
  const { kind, channel, group } = one;
  const isRoom = channel !== undefined || group !== undefined;
  const text = isRoom ? `/\0${JSON.stringify([channel ?? null, group ?? null])}` : "/";
  const hash = createHash("sha256").update(text).digest("hex");
  expect(commandLineSessionKey("/", one)).toBe(`cli:${kind}:${hash.slice(0, 10)}`);
});

test("gives a folder the same key under all its names, and other folders other keys", async () => {
  const folder = await temporaryFolder();
  for (const name of ["a", "b"]) mkdirSync(join(folder, name));
  symlinkSync("a", join(folder, "link"));
  const keyOf = (name: string) => commandLineSessionKey(join(folder, name), { kind: "main" });
  expect(keyOf("link")).toBe(keyOf("a"));
  expect(keyOf("b")).not.toBe(keyOf("a"));
});
