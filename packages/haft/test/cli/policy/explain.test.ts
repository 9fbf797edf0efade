import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haftHere } from "../../support/haft.ts";

test("accepts repeated options and flags", async () => {
  const cwd = await temporaryFolder();
  const roots = ["--root", `one=${await temporaryFolder()}`, "--root", `two=${await temporaryFolder()}:rw`];
  expect(await haftHere(["explain", "read", "--json", "--json", ...roots], { cwd })).toMatchObject({
    stderr: "",
  });
});

test("prints the plan, every rule and existing grants", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "p.yaml"), "exec: { preset: careful }\n");
  const explain = (...args: string[]) =>
    haftHere(["explain", "exec", '{"command":"git status | sh"}', ...args], { cwd });
  const main = await explain("--policy", "p.yaml");
  expect(main.code).toBe(1);
  expect(main.stdout).toMatch(/^exec in a main session \(agent main\) needs approval before it runs\.\n/);
  expect(main.stdout).toMatch(/because +exec needs approval by p\.yaml:1: exec\.preset/);
  expect(main.stdout).toMatch(/- {2}git status +\S*\/git\n +- {2}sh +\S+; sh runs any code/);
  expect(main.stdout).toMatch(/unclear: sh runs the code it reads/);
  expect(main.stdout).toMatch(/→ +policy +exec +ask +.*p\.yaml:1: exec\.preset\n/);
  expect(main.stdout).toMatch(/approval +pass +no grant can cover it/);
  expect((await explain("--session", "group")).stdout).toMatch(/→ +policy +sessions +ask/);
  expect((await explain("--session", "sandboxed")).stdout).toMatch(/is allowed to run\.\n/);
  const [json] = (await explain("--json")).lines();
  expect(json.trace.filter(({ decided }: { decided: boolean }) => decided)).toHaveLength(1);
});
