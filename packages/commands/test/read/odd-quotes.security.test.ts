import { expect, test } from "vitest";
import { analyzeCommand, rebuildCommand, type ScriptContext } from "../../src/index.ts";

const machine: ScriptContext = {
  variables: { HOME: "/home/ada" },
  list: async () => [],
  getType: async () => undefined,
};
const rebuild = async (text: string) => {
  const outline = await analyzeCommand(text, { cwd: "/work", shell: "bash", context: machine });
  return outline.unclear ?? rebuildCommand(outline, (program) => `/bin/${program}`);
};

test("quotes around a continued line form a word and prevent ~ expansion", async () => {
  expect(await rebuild('ls "\\\n" a')).toEqual({ argv: ["/bin/ls", "", "a"] });
  expect(await rebuild('ls "\\\n"~')).toContain("it uses ~");
});

test("empty quotes beside $( ) form a word after a space in its output", async () => {
  expect(await rebuild("echo $(ls)'' ''$(ls)")).toEqual({
    script: `'echo' $( '/bin/ls' )'' ''$( '/bin/ls' )`,
    shell: "bash",
  });
});

test.each(["echo 2\\\n>out", "echo 1\\\n2>out", "echo a 2\\\n>>out", "echo 0\\\n<in"])(
  "digits before a continued line and a redirect are not read as a word: %j",
  async (text) => {
    expect(await rebuild(text)).toBe("a part of it cannot be read for certain");
  },
);

test("a line may continue before a redirect", async () => {
  expect(await rebuild("echo 2 \\\n>out")).toEqual({ script: "'echo' '2' >'/work/out'", shell: "bash" });
});
