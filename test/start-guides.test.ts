import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { codeBlocks } from "../scripts/lib/markdown.ts";
import { PLUGIN_HOST } from "../scripts/lib/quick-start.ts";
import { root, run } from "../scripts/lib/workspace.ts";
import { conditions, haftCommand } from "./support/build-under-test.ts";

// Where people begin, everything that stands there to be run is run.

const page = (name: string): string => readFileSync(join(root, `docs/start/${name}.md`), "utf8");

/** A project of somebody who has the packages. */
function project(files: Record<string, string>): string {
  // Below the repository, so that imports find what would be installed.
  mkdirSync(join(root, ".haft"), { recursive: true });
  const folder = realpathSync(mkdtempSync(join(root, ".haft/start-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  copyFileSync(join(root, "README.md"), join(folder, "README.md"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const home = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-home-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const start = (cwd: string, ...words: readonly string[]): Promise<string> =>
  run(words[0]!, words.slice(1), { cwd, env: { PATH: process.env["PATH"], HOME: home() } });

const [PLUGIN = ""] = codeBlocks(page("plugin-authors"), "ts").map(({ text }) => text);

test.each([
  ["agent-hosts", /^ok \[/],
  ["npm-consumers", /kind: 'ok'[^]*"type": ?"module"/],
])("the program of %s", async (name, shows) => {
  const programs = codeBlocks(page(name), "ts");
  expect(programs).toHaveLength(1);
  const cwd = project({ "program.ts": programs[0]!.text });
  expect(await start(cwd, process.execPath, ...conditions, "program.ts")).toMatch(shows);
});

test("the plugin of plugin-authors works in a host and with the command of the guide", async () => {
  const cwd = project({ "word-count.ts": PLUGIN, "sample.ts": PLUGIN, "host.ts": PLUGIN_HOST });
  expect(await start(cwd, process.execPath, ...conditions, "host.ts")).toMatch(/text: '3 words'|\d+ words/);
  const [, words = ""] =
    /`npx haft (tools call word_count [^`]+)`/.exec(page("plugin-authors").replaceAll("\n", " ")) ?? [];
  const given = words.split(" ").map((word) => word.replaceAll("'", ""));
  expect(await start(cwd, ...haftCommand, ...given)).toMatch(/^\d+ words$/m);
});

test("the commands of coding-agents", async () => {
  const lines = codeBlocks(page("coding-agents"), "sh").flatMap(({ text }) => text.trim().split("\n"));
  const commands = lines.filter((line) => line.startsWith("haft "));
  expect(commands).toHaveLength(3);
  for (const line of commands) {
    const [, ...words] = line.replace(/ +#.*$/, "").split(" ");
    expect(await start(project({}), ...haftCommand, ...words)).toContain("claude");
  }
});

test("the first commands of the README print the text below them", async () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [commands] = codeBlocks(readme, "sh");
  const [printed] = codeBlocks(readme, "text");
  const script = commands!.text.replace("npm install haft\n", "").replace("npx haft", '"$@"');
  const cwd = project({});
  const shown = await start(cwd, "sh", "-c", script, "sh", ...haftCommand);
  const withoutId = (text: string) => text.replace(/^( {2}decision +)\S+$/m, "$1ID").trim();
  expect(withoutId(shown.replace(cwd, "/home/ada/shop"))).toBe(withoutId(printed!.text));
});
