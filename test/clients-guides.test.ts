import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Client, getClientVersion } from "../scripts/lib/clients/client.ts";
import { clients } from "../scripts/lib/clients/clients.ts";
import { readPrinted } from "../scripts/lib/clients/printed-config.ts";
import { codeBlocks } from "../scripts/lib/markdown.ts";
import { run } from "../scripts/lib/workspace.ts";
import { haftCommand } from "./support/build-under-test.ts";

// What stands in the guides to coding agents is what is printed, and what `npm run clients` tries with the agents themselves.

const folder = join(import.meta.dirname, "../docs/guides/clients");
const pages = readdirSync(folder).filter((name) => name !== "README.md");
const textOf = (page: string): string => readFileSync(join(folder, page), "utf8");

/** The line of the guide that prints the configuration. */
const asks = (page: string): string =>
  codeBlocks(textOf(page), "sh")
    .find(({ text }) => text.includes("--print-config"))
    ?.text.trim() ?? "";
const printed = pages.filter((page) => asks(page) !== "");

test("the table names every page", () => {
  const linked = [...textOf("README.md").matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)].map(([, page]) => page);
  expect(new Set(linked)).toEqual(new Set(pages));
});

test.each(clients)("$title: its page and the table name the tested version", (client: Client) => {
  const page = printed.find((name) => asks(name).endsWith(` ${client.name}`)) ?? `${client.name}.md`;
  expect(textOf(page)).toContain(`Tried with ${client.title} ${getClientVersion(client)}`);
  const row = textOf("README.md")
    .split("\n")
    .find((line) => line.startsWith(`| [${client.title}]`));
  expect(row?.endsWith(`| ${getClientVersion(client)} |`)).toBe(true);
});

test.each(printed)("%s matches the printed text", async (page) => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-guide-")));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const [program, ...words] = asks(page).split(" ");
  expect(program).toBe("haft");
  const [node = "", ...command] = haftCommand;
  const { PATH = "" } = process.env;
  const shown = readPrinted(await run(node, [...command, ...words], { cwd, env: { PATH, HOME: cwd } }));
  const guide = readPrinted(textOf(page));
  expect(guide.files.map(({ path }) => path)).toEqual(shown.files.map(({ path }) => path));
  for (const [index, { language, text }] of guide.files.entries()) {
    const wanted = shown.files[index]!.text;
    if (language === "json") expect(JSON.parse(text)).toEqual(anywhere(JSON.parse(wanted)));
    else expect(text).toBe(language === "toml" ? anywhereInToml(wanted) : wanted);
  }
  for (const what of ["check", "remove", "start"] as const) expect(guide[what]).toEqual(shown[what]);
  // What has this machine's paths in it is not repeated.
  if (guide.add !== "") expect(guide.add).toBe(shown.add);
});

/** The same without the paths of this machine: what starts the server is a Node, perhaps its options, and a file. */
function anywhere(value: unknown): unknown {
  if (Array.isArray(value)) {
    const end = value.indexOf("serve");
    const before = value.slice(0, Math.max(end, 0)).filter((word) => !`${word}`.startsWith("--"));
    if (end > 0) return [...(before.length === 2 ? ["NODE"] : []), "HAFT", ...value.slice(end)];
    return value;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === "command" && typeof each === "string" ? "NODE" : anywhere(each),
    ]),
  );
}

function anywhereInToml(text: string): string {
  return text
    .replace(/^command = .*$/m, 'command = "NODE"')
    .replace(/^args = .*, "serve"/m, 'args = ["HAFT", "serve"');
}
