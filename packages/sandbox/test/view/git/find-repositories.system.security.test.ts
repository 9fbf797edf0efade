import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findRepositories } from "../../../src/view/git/find-repositories.ts";
import { createProject, git } from "./contained.ts";

test("protects all submodules, also those without a copy or a checkout", () => {
  const { root, origin } = createProject();
  git(root, "submodule", "--quiet", "add", origin, "sub");
  const modules = join(root, ".git/modules");
  const names = Array.from({ length: 80 }, (_, at) => `many/${at % 2 === 0 ? "deep/" : ""}m${at}`);
  for (const name of names) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    cpSync(join(modules, "sub"), join(modules, name), { recursive: true });
  }
  const { repositories, closed } = findRepositories([root]);
  const found = [...repositories.map(({ common }) => common), ...closed.map(({ path }) => path)];
  expect(repositories).toHaveLength(64);
  expect(found.toSorted()).toEqual(
    [join(root, ".git"), join(modules, "sub"), ...names.map((name) => join(modules, name))].toSorted(),
  );
});
