import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { keptProgram } from "../../src/cli/guard/kept-program.ts";
import { temporaryFolder } from "../support/haft.ts";

let folder = "";
let file = "";

beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, "program.cjs");
  mkdirSync(join(folder, "kept"));
  write("one");
});

function write(answer: string): void {
  rmSync(file, { force: true });
  writeFileSync(
    file,
    `exports.answer = () => [${JSON.stringify(answer)}, __filename, __dirname, typeof require];`,
  );
}

function start(way: string): string {
  const { program, keep } = keptProgram(file, join(folder, "kept"));
  const [said = "", ...rest] = (program as { answer(): string[] }).answer();
  expect(rest).toEqual([file, folder, "undefined"]);
  keep(way);
  return said;
}

const kept = () => readdirSync(join(folder, "kept")).map((name) => join(folder, "kept", name));
const ways = () =>
  (JSON.parse(readFileSync(kept()[0]!, "utf8").split("\n", 1)[0]!) as { ways: unknown }).ways;

it("keeps the code of each way once, for nobody else", () => {
  expect([start("a"), start("a")]).toEqual(["one", "one"]);
  const before = statSync(kept()[0]!);
  expect(before.mode & 0o777).toBe(0o600);
  start("a");
  expect(statSync(kept()[0]!).ino).toBe(before.ino);
  start("b");
  expect(kept()).toHaveLength(1);
  expect(ways()).toEqual(["a", "b"]);
  for (let count = 0; count < 100; count++) start(`more ${count}`);
  expect(ways()).toHaveLength(64);
});

it("takes nothing of another program, even where that is as long", () => {
  start("a");
  write("two");
  expect(start("b")).toBe("two");
  expect(ways()).toEqual(["b"]);
});

it.each([
  ["is empty", () => ""],
  ["is no code", () => "x".repeat(5000)],
  ["has another head", (text: string) => text.replace(/^.*/, "null")],
  ["has a head without ways", (text: string) => text.replace('"ways"', '"wayz"')],
  // V8 would take it, and crash.
  ["is damaged", (text: string) => text.replace(/(?<=\n[^]{200})[^]{100}/, "x".repeat(100))],
  ["ends early", (text: string) => text.slice(0, text.indexOf("\n") + 40)],
])("runs, and keeps it anew, where what was kept %s", (_how, change) => {
  start("a");
  const [place = ""] = kept();
  writeFileSync(place, change(readFileSync(place, "latin1")), "latin1");
  expect(start("b")).toBe("one");
  expect(ways()).toEqual(["b"]);
  expect(start("c")).toBe("one");
});

it("runs where nothing can be kept, and leaves nothing", () => {
  start("a");
  const [place = ""] = kept();
  rmSync(place);
  mkdirSync(place);
  expect(start("a")).toBe("one");
  expect(kept()).toEqual([place]);
  rmSync(join(folder, "kept"), { recursive: true });
  expect(start("a")).toBe("one");
});
