import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findSecrets } from "../../src/contained/secrets.ts";

test("secrets are found in a home folder, in roots, and by absolute patterns with several names", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-secrets-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [home, root, system] = ["home", "root", "system"].map((name) => join(folder, name));
  for (const path of [join(home!, ".ssh"), join(root!, "deep"), system!])
    mkdirSync(path, { recursive: true });
  const files = [
    join(root!, "deep/.netrc"),
    join(system!, "passwords"),
    join(system!, "passwords-"),
    join(system!, "names"),
  ];
  for (const path of files) writeFileSync(path, "");

  const { paths, unlooked } = findSecrets(
    ["**/.ssh", "**/.netrc", `${system}/{passwords,others}{,-}`, `${system}/n*`],
    [root!],
    home!,
  );

  const hereIn = paths.filter((path) => path.startsWith(`${folder}/`));
  expect(hereIn.toSorted()).toEqual([join(home!, ".ssh"), ...files.slice(0, 3)].toSorted());
  expect(unlooked).toEqual([]);
});
