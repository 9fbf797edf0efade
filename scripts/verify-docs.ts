import { hostContext } from "@haft/core/internal";
import { createExecPlugin } from "@haft/tools-exec/plugin";
import { createFilesPlugin } from "@haft/tools-fs/plugin";
// Checks documents: pages of errors, compatibility and the command match their sources, links resolve, and
// TypeScript examples compile, also in docstrings. `--update` rewrites generated pages. Package folders
// (`packages/core`) as arguments limit it to their docstrings.
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commands } from "../packages/haft/src/cli/command-line.ts";
import { sessionArgumentsHelp } from "../packages/haft/src/cli/session-arguments.ts";
import * as printed from "../packages/haft/test/cli/json/shapes.ts";
import { gitEscapes } from "../packages/host/test/contained/escapes/git-escapes.ts";
import { homeEscapes } from "../packages/host/test/contained/escapes/home-escapes.ts";
import { attempts } from "../packages/sandbox/test/escapes/attempts.ts";
import { differences } from "../test/compatibility/differences.ts";
import { formatTable } from "./lib/bridges/table.ts";
import { trials } from "./lib/bridges/trials.ts";
import { check, expectNone, finish } from "./lib/checks.ts";
import { formatCommandPage } from "./lib/command-page.ts";
import { formatCompatibilityPage } from "./lib/compatibility-page.ts";
import { catalogueProblems, formatErrorPage, loadCatalogues } from "./lib/error-catalogues.ts";
import { findErrorCodes } from "./lib/error-codes.ts";
import { checkExamples } from "./lib/examples/check-examples.ts";
import { compileBlocks } from "./lib/examples/compile-blocks.ts";
import { brokenLinks, codeBlocks } from "./lib/markdown.ts";
import { newerSyntax } from "./lib/newer-syntax.ts";
import { measureTexts, TEXT_KINDS } from "./lib/plain-english.ts";
import { formatSchemasPage } from "./lib/schemas-page.ts";
import { root } from "./lib/workspace.ts";

const update = process.argv.includes("--update");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const isGenerated = (path: string) =>
  /(^|\/)(node_modules|dist|etc|fixtures|project|\.haft|\.changeset)(\/|$)|^packages\/[^/]+\/docs(\/|$)/.test(
    path,
  );
const documents = globSync("**/*.md", { cwd: root, exclude: isGenerated }).toSorted();

const folders = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
await check("public functions and classes have examples, which compile and run", () =>
  checkExamples(folders),
);
if (folders.length > 0) await finish();

await check("docs/reference/errors.md is made from the catalogues", async () => {
  const page = "docs/reference/errors.md";
  const entries = await loadCatalogues();
  const text = formatErrorPage(entries);
  if (update) writeFileSync(join(root, page), text);
  const sources = globSync("packages/*/src/**/*.ts", { cwd: root }).toSorted();
  const mentions = sources.flatMap((path) => findErrorCodes(read(path), path));
  const isStale = read(page) !== text;
  expectNone([
    ...catalogueProblems(entries, mentions),
    ...(isStale ? [`${page} is not what the catalogues say: npm run verify:docs -- --update`] : []),
  ]);
});

await check("docs/reference/compatibility.md is made from the tests that show it", () => {
  const page = "docs/reference/compatibility.md";
  const text = formatCompatibilityPage(differences);
  if (update) writeFileSync(join(root, page), text);
  expectNone(
    read(page) === text ? [] : [`${page} is not what the tests say: npm run verify:docs -- --update`],
  );
});

await check("docs/reference/command.md is made from the command itself", async () => {
  const page = "docs/reference/command.md";
  const loaded = Object.entries(commands).map(async ([name, load]) => ({ name, help: (await load()).help }));
  const text = formatCommandPage(await Promise.all(loaded), {
    ...printed,
    sessionOptions: sessionArgumentsHelp,
  });
  if (update) writeFileSync(join(root, page), text);
  expectNone(
    existsSync(join(root, page)) && read(page) === text
      ? []
      : [`${page} is not what the command says: npm run verify:docs -- --update`],
  );
});

await check(
  "docs/reference/schemas.md is made from the rules of providers and the built-in tools",
  async () => {
    const page = "docs/reference/schemas.md";
    const made = [createFilesPlugin(), createExecPlugin()].flatMap(({ tools }) =>
      tools.map(async ({ factory }) =>
        factory(hostContext(undefined, console, new AbortController().signal)),
      ),
    );
    const tools = (await Promise.all(made)).flatMap((one) => one ?? []);
    const pinned = read("pnpm-workspace.yaml").matchAll(/^ {2}"?([@\w/.-]+)"?: (\S+)$/gm);
    const text = formatSchemasPage(
      tools,
      Object.fromEntries([...pinned].map(([, name, version]) => [name!, version!])),
    );
    if (update) writeFileSync(join(root, page), text);
    expectNone(
      existsSync(join(root, page)) && read(page) === text
        ? []
        : [`${page} is not what the rules say: npm run verify:docs -- --update`],
    );
  },
);

await check("docs/reference/sandbox-escapes.md lists the attempts of the tests", () => {
  const page = "docs/reference/sandbox-escapes.md";
  const listed = read(page)
    .split("\n")
    .flatMap((line) => /^\| (?!attempt \||---)(.+?) \|/.exec(line)?.[1] ?? []);
  const titles = [...attempts, ...gitEscapes, ...homeEscapes].map(({ title }) => title);
  expectNone([
    ...titles.filter((title) => !listed.includes(title)).map((title) => `not listed: ${title}`),
    ...listed.filter((title) => !titles.includes(title)).map((title) => `no such attempt: ${title}`),
    ...(read(page).includes("escaped") ? ["an attempt got out"] : []),
  ]);
});

await check("docs/reference/bridges.md is what the trials write, and all of it works", () => {
  const rows = trials.flatMap(({ framework, packages, checks }) =>
    Object.keys(checks).map((what) => ({ framework, packages, what, works: true })),
  );
  const isStale = formatTable(rows) !== read("docs/reference/bridges.md");
  expectNone(isStale ? ["docs/reference/bridges.md is stale: npm run bridges -- --update"] : []);
});

await check(`relative links lead somewhere (${documents.length} documents)`, () => {
  const exists = (path: string) => existsSync(join(root, path));
  expectNone(documents.flatMap((path) => brokenLinks(path, { read, exists })));
});

await check("examples are written for the oldest Node", () => {
  expectNone(
    documents.flatMap((path) =>
      codeBlocks(read(path), "ts").flatMap(({ text, line }) =>
        newerSyntax(text).map((found) => `${path}:${line}: ${found}`),
      ),
    ),
  );
});

await check("TypeScript examples compile", () =>
  compileBlocks(
    documents.flatMap((path) => codeBlocks(read(path), "ts").map((block) => ({ ...block, path }))),
  ),
);

for (const [name, kind] of Object.entries(TEXT_KINDS)) {
  const { words, rate, worst } = measureTexts(root, kind);
  await check(`${name}: ${words} words, ${rate.toFixed(1)} idioms per 1,000 (at most ${kind.limit})`, () => {
    if (rate > kind.limit)
      expectNone(worst.map(({ file, idioms, words: all }) => `${file} has ${idioms} in ${all} words`));
  });
}
await finish();
