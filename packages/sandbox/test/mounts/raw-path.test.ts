import { fc, test as property } from "@fast-check/vitest";
import { mkdirSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { pathToBytes, isUtf8Path, nativePath, pathFromBytes } from "../../src/mounts/raw-path.ts";
import { tempFolder } from "../support.ts";

property.prop([fc.uint8Array({ maxLength: 64 })])("restores all bytes", (bytes) => {
  expect(pathToBytes(pathFromBytes(Buffer.from(bytes)))).toEqual(Buffer.from(bytes));
});

property.prop([fc.string({ unit: "binary" })])("leaves UTF-8 text unchanged", (text) => {
  expect([pathFromBytes(Buffer.from(text)), isUtf8Path(text), nativePath(text)]).toEqual([text, true, text]);
});

test("finds a name that is not UTF-8 by its text", () => {
  const folder = tempFolder("raw");
  const name = pathFromBytes(Buffer.from("q\xff\xc3\xbc\xed\xa0\x80", "latin1"));
  mkdirSync(nativePath(`${folder}/${name}`));
  const [found] = readdirSync(folder, { encoding: "buffer" });
  expect(pathFromBytes(found!)).toBe(name);
});
