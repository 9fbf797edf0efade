import { expect, test } from "vitest";
import { analyzeCommand, findLauncher, resolveTemplate } from "../../src/index.ts";

const machine = { variables: {}, list: async () => [], getType: async () => undefined };
const unclear = async (text: string, platform: string): Promise<string | undefined> => {
  const outline = await analyzeCommand(text, { cwd: "/work", shell: "bash", context: machine, platform });
  return resolveTemplate(outline, (program) => `/usr/bin/${program.replace(/^.*\//, "")}`).unclear;
};

test.each([
  "sed -i s/a/b/ x",
  "sed -n -i p x",
  "sed -i -e s/a/b/ x",
  "sed -i 'w out' x",
  "sed -i",
  "nice sed -i s/a/b/ x",
])("%s: sed of macOS reads the program as a file extension", async (text) => {
  expect(await unclear(text, "darwin")).toContain("sed of macOS takes the word behind -i");
  if (text !== "sed -i" && !text.includes("'w out'")) expect(await unclear(text, "linux")).toBeUndefined();
});

test.each([
  "sed -i '' s/a/b/ x",
  "sed -i .bak s/a/b/ x",
  "sed -i.bak s/a/b/ x",
  "sed -i '' -e s/a/b/ x",
  "sed s/a/b/ x",
])("%s is read like sed of macOS", async (text) => expect(await unclear(text, "darwin")).toBeUndefined());

test("a sed program is checked in any position", async () => {
  expect(await unclear("sed -i '' 'w out' x", "darwin")).toBeDefined();
  expect(await unclear("sed -i '' s/a/b/ x", "linux")).toBeDefined();
  expect(findLauncher(["gsed", "-i", "s/a/b/", "x"], "darwin")).toBeUndefined();
});

test("a here-document within $( ) is unclear, because bash 3.2 reads it differently", async () => {
  const inside = "echo \"$(cat <<'E'\n(it's\nE\n)\"";
  expect(await unclear(inside, "darwin")).toContain("which the bash of macOS (3.2) reads otherwise");
  expect(await unclear(inside, "linux")).toBeUndefined();
  const outside = "echo \"$(pwd)\" && cat <<'E'\n(it's\nE";
  for (const platform of ["darwin", "linux"]) expect(await unclear(outside, platform)).toBeUndefined();
});
