import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { pathToBytes, nativePath, pathFromBytes } from "../../src/mounts/raw-path.ts";
import { tempFolder } from "../support.ts";
import { openTestView, testContained } from "./support.ts";

testContained("keeps unsearched folders read-only until their release", async () => {
  const root = tempFolder("unsearched");
  for (const name of ["one/deep", "two"]) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "one/deep/held"), "mine");
  const { run, view } = await openTestView({
    root,
    unsearched: [join(root, "one")],
    readOnly: [join(root, "one/deep/held")],
  });
  const write = (name: string) => run(`cd ${root} && echo x > ${name} && echo written`);
  expect((await write("one/a")).output).toContain("Read-only file system");
  expect((await write("one/deep/a")).output).toContain("Read-only file system");
  expect((await run(`mv ${root}/one ${root}/other`)).output).toContain("busy");
  expect((await write("two/a")).output).toBe("written\n");
  await view.restrict([join(root, "two")]);
  expect((await write("two/b")).output).toContain("Read-only file system");
  await view.release();
  for (const name of ["one/a", "one/deep/a", "two/b"]) expect((await write(name)).output).toBe("written\n");
  expect((await write("one/deep/held")).output).toContain("Read-only file system");
  expect(readFileSync(join(root, "one/deep/held"), "utf8")).toBe("mine");
});

testContained("protects names that are not UTF-8 from the start and later", async () => {
  const root = tempFolder("raw");
  const [first, later] = ["a\xff", "b\xfe \\x'"].map((name) => pathFromBytes(bytesOf(root, name))) as [
    string,
    string,
  ];
  for (const path of [first, later]) {
    mkdirSync(nativePath(path));
    writeFileSync(nativePath(join(path, "held")), "mine");
  }
  const { run, view } = await openTestView({ root, readOnly: [join(first, "held")] });
  const write = () => run(`exec 2>&1; cd ${root}; for f in */held; do echo x > "$f"; done; cat */held`);
  expect((await write()).output).toMatch(/Read-only file system\nminex\n$/s);
  writeFileSync(nativePath(join(later, "held")), "mine");
  await view.protect([join(later, "held")]);
  expect((await write()).output).toMatch(/Read-only.*Read-only file system\nminemine$/s);
});

function bytesOf(root: string, name: string): Buffer {
  return Buffer.concat([pathToBytes(`${root}/`), Buffer.from(name, "latin1")]);
}
