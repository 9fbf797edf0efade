import { expect, test } from "vitest";
import { image, text } from "../../src/contract/result.ts";
import { resultFingerprint } from "../../src/kernel/stages/record.ts";

test("is the text, whatever the details, when nothing is declared volatile", () => {
  expect(resultFingerprint([text("a")], { at: 1 }, undefined)).toBe(
    resultFingerprint([text("a")], { at: 2 }, []),
  );
  expect(resultFingerprint([text("a")], {}, undefined)).not.toBe(
    resultFingerprint([text("b")], {}, undefined),
  );
});

test("is the details without the volatile fields, when some are declared", () => {
  const volatile = ["pid", "timing.ms"];
  const one = resultFingerprint([text("in 1 ms")], { pid: 1, exit: 0, timing: { ms: 1, user: 2 } }, volatile);
  const same = resultFingerprint(
    [text("in 9 ms")],
    { pid: 7, exit: 0, timing: { ms: 9, user: 2 } },
    volatile,
  );
  const other = resultFingerprint(
    [text("in 1 ms")],
    { pid: 1, exit: 1, timing: { ms: 1, user: 2 } },
    volatile,
  );
  expect(same).toBe(one);
  expect(other).not.toBe(one);
});

test("does not touch the details", () => {
  const details = { pid: 1, timing: { ms: 1 } };
  resultFingerprint([], details, ["pid", "timing.ms", "missing.deep.path"]);
  expect(details).toEqual({ pid: 1, timing: { ms: 1 } });
});

test("survives details that cannot be cloned", () => {
  expect(() => resultFingerprint([text("a")], { run: () => 1, pid: 1 }, ["pid"])).not.toThrow();
});

test("tells long texts and images apart that differ in one character", () => {
  const long = "x".repeat(10_000);
  const of = (one: string, data: string) =>
    resultFingerprint([text(one), { type: "image", data, mimeType: "image/png" }], {}, undefined);
  expect(of(long, long)).toBe(of(long, long));
  expect(of(`${long}a`, long)).not.toBe(of(`${long}b`, long));
  expect(of(long, `${long}a`)).not.toBe(of(long, `${long}b`));
});

test("stays short", () => {
  expect(resultFingerprint([text("x".repeat(1_000_000))], {}, undefined).length).toBeLessThanOrEqual(128);
});

test("tells images apart that were made of bytes, all of them, and what was made of them since", () => {
  const bytes = new Uint8Array(300_000);
  const made = (at?: number) => image(at === undefined ? bytes : bytes.with(at, 1), "image/png");
  const of = (block: ReturnType<typeof made>) => resultFingerprint([block], {}, undefined);
  expect(of(made())).toBe(of(made()));
  for (const at of [0, 150_000, 299_999]) expect(of(made(at))).not.toBe(of(made()));
  const changed = made();
  changed.data = made(1).data;
  expect(of(changed)).not.toBe(of(made()));
  expect(of(made()).length).toBeLessThanOrEqual(128);
});
