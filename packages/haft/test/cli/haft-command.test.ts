import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { haft, haftHere } from "../support/haft.ts";

test("tools lists available tools, and reasons and fixes for missing tools", async () => {
  const cwd = await temporaryFolder();
  const text = (await haftHere(["tools", "--session", "group"], { cwd })).stdout;
  expect(text).toMatch(
    /Tools of a group session:\n[^]*read[^]*Missing:\n[^]*write[^]*To have it: Add "write" to/,
  );
  const { tools, missing } = (await haftHere(["tools", "--json", "--session", "group"], { cwd })).lines()[0];
  expect(tools.map(({ name }: { name: string }) => name)).toContain("grep");
  expect(missing.map(({ name }: { name: string }) => name)).toEqual(["write", "edit", "apply_patch"]);
});

test("the fix of explain works", async () => {
  const cwd = await temporaryFolder();
  const before = await haftHere(["explain", "write", "--json", "--session", "group"], { cwd });
  expect(before.code).toBe(1);
  expect(before.lines()[0].fix).toContain('"write" to sessions.group.grant');
  await writeFile(join(cwd, "policy.json"), JSON.stringify({ sessions: { group: { grant: ["write"] } } }));
  const after = await haftHere(["explain", "write", "--session", "group", "--policy", "policy.json"], {
    cwd,
  });
  expect(after.code).toBe(0);
  expect(after.stdout).toMatch(/is allowed to run/);
});

test("call prints the result, or the reason for a failure", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.ts"), "let a = 1;\n");
  expect((await haft(["tools", "call", "read", '{"file":"a.ts"}'], { cwd })).stdout).toBe("let a = 1;\n");
  const markdown = await haftHere(["tools", "call", "read", "-", "--format", "markdown"], {
    cwd,
    input: '{"path":"a.ts"}',
  });
  expect(markdown.stdout).toBe("```ts\nlet a = 1;\n```\n");
  const missing = await haftHere(["tools", "call", "read", '{"path":"b.ts"}'], { cwd });
  expect(missing).toMatchObject({ code: 1, stdout: "" });
  expect(missing.stderr).toMatch(/b\.ts[^]*a\.ts/);
});
