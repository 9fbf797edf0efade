import { analyzeCommand } from "@haft/commands";
import { expect, test } from "vitest";
import { refuseEditor } from "../../../src/plan/refuse/refuse-editor.ts";

const outcome = async (text: string): Promise<string> => {
  const outline = await analyzeCommand(text, { cwd: "/work", shell: "bash" });
  try {
    refuseEditor(outline);
    return "runs";
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
};

test.each([
  "vi notes.txt",
  "vim",
  "/usr/bin/vim a b",
  "make && nano +12 notes.txt",
  "nvim -R a.ts",
  "emacs -nw a",
  "nice vim x",
])("refuses an editor that waits for a person: %s", async (text) => {
  expect(await outcome(text)).toBe("EDITOR_NEEDS_TERMINAL");
});

test.each([
  "vim -es -c 'wq' a",
  "vim --version",
  "emacs --batch -l x.el",
  "nvim --headless +qa",
  "vi +wq a",
  "printf ':wq\\n' | vi a",
  "vi a <keys",
  "ed a",
  "echo vi",
  "which vim",
])("allows an editor that needs no person: %s", async (text) => {
  expect(await outcome(text)).toBe("runs");
});
