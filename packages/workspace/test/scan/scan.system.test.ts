import { type FileSystem, scanFolder, type ScanOptions, type ScanPage } from "@haft/core";
import { walkSteps } from "@haft/core/internal";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { openBoundary } from "../../src/boundary/open-boundary.ts";
import { createKernelFolders } from "../../src/boundary/walk/kernel-folders.ts";
import { createHostWorkspace } from "../../src/files/host-workspace.ts";
import { HostScanFiles } from "../../src/scan/scan-files.ts";
import { chooseThread } from "../../src/scan/scan-threads.ts";
import { site } from "../support.ts";

/** More files than the first page has, so that threads take part. */
function manyFiles() {
  const { ws, outside } = site();
  for (let folder = 0; folder < 40; folder += 1) {
    mkdirSync(join(ws, `d${folder}`));
    for (let file = 0; file < 30; file += 1)
      writeFileSync(join(ws, `d${folder}/f${file}.txt`), `word${file}\n`);
  }
  return { ws, outside, workspace: createHostWorkspace({ root: ws, deny: ["**/secret"] }) };
}

async function paths(workspace: { fs: FileSystem }, options = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const { entries } of scanFolder(workspace as never, ".", options))
    for (const { path, type } of entries) if (type === "file") found.push(path);
  return found;
}

describe("a scan in threads", () => {
  it("excludes files by text, and keeps files that it cannot judge", async () => {
    const { ws, outside, workspace } = manyFiles();
    writeFileSync(join(outside, "file"), "word29");
    symlinkSync(outside, join(ws, "d39/link"));
    writeFileSync(join(ws, "d39/binary"), Buffer.from([0, 1, 2]));
    writeFileSync(join(ws, "d39/latin1"), Buffer.from([0xe9]));
    writeFileSync(join(ws, "d39/large"), Buffer.alloc(5 * 1024 * 1024, "x\n"));
    const found = await paths(workspace, { text: { kind: "literal", text: "word29" } });
    // The first page is not filtered.
    expect(found.filter((path) => path.startsWith("d39/"))).toEqual([
      "d39/binary",
      "d39/f29.txt",
      "d39/large",
      "d39/latin1",
    ]);
    const regex = { kind: "regex", source: "^word2[89]$", flags: "su" };
    expect((await paths(workspace, { text: regex })).filter((path) => path.startsWith("d38/"))).toEqual([
      "d38/f28.txt",
      "d38/f29.txt",
    ]);
  });

  it("lists no denied folder, and reports it", async () => {
    const { ws, workspace } = manyFiles();
    mkdirSync(join(ws, "d39/secret"));
    writeFileSync(join(ws, "d39/secret/file"), "x");
    mkdirSync(join(ws, "d39/closed"));
    if (process.getuid?.() !== 0) chmodSync(join(ws, "d39/closed"), 0);
    let unreadable = 0;
    const seen: string[] = [];
    for await (const page of scanFolder(workspace, ".")) {
      unreadable += page.unreadable.count;
      seen.push(...page.entries.map(({ path }) => path));
    }
    expect(seen).toContain("d39/secret");
    expect(seen).not.toContain("d39/secret/file");
    expect(unreadable).toBe(process.getuid?.() === 0 ? 1 : 2);
  });

  it("reports each folder once, wherever the scan continues", () => {
    const { ws } = site();
    for (const path of ["a/b/secret/x", "a/c/d", "secret/y", "z"])
      mkdirSync(join(ws, path), { recursive: true });
    writeFileSync(join(ws, "a/b/file"), "");
    const boundary = openBoundary({ root: ws, deny: ["**/secret"], added: {} }, createKernelFolders()!);
    /** Ends the first page at the check with this number. */
    const walk = (options: ScanOptions, check: number): ScanPage[] => {
      const files = new HostScanFiles(boundary, undefined);
      let checks = 0;
      const pages = [...walkSteps(files, ".", options, () => (checks += 1) === check)] as ScanPage[];
      files.close();
      return pages;
    };
    const sum = (pages: readonly ScanPage[]) => ({
      paths: pages.flatMap(({ entries }) => entries.map(({ path }) => path)),
      unreadable: pages.reduce((count, { unreadable }) => count + unreadable.count, 0),
    });
    const expected = {
      paths: ["a", "a/b", "a/b/file", "a/b/secret", "a/c", "a/c/d", "secret", "z"],
      unreadable: 2,
    };
    for (let check = 1; ; check += 1) {
      const pages = walk({}, check);
      expect(sum(pages), `check ${check}`).toEqual(expected);
      const [first] = pages;
      if (first!.isLast) break;
      expect(sum([first!, ...walk({ after: first!.last! }, 0)]), `check ${check}`).toEqual(expected);
    }
  });

  it("leaves no work in a thread if the caller ends it after any page", async () => {
    const { workspace } = manyFiles();
    for (let count = 1; count < 6; count += 1) {
      let pages = 0;
      for await (const page of scanFolder(workspace, ".", { text: { kind: "literal", text: "none" } })) {
        pages += 1;
        if (pages === count || page.isLast) break;
      }
    }
    await vi.waitFor(() => expect(chooseThread().load).toBe(0), 60_000);
  });

  it("loses no file if patterns of exponential time stop all threads", async () => {
    const { ws } = site();
    const expected: string[] = [];
    for (let folder = 10; folder < 30; folder += 1) {
      mkdirSync(join(ws, `d${folder}`));
      writeFileSync(join(ws, `d${folder}/slow`), `${"a".repeat(5000)}!\n`);
      for (let file = 0; file < 400; file += 1)
        writeFileSync(join(ws, `d${folder}/f${file}`), `word${file}\n`);
      expected.push(`d${folder}/f399`, `d${folder}/slow`);
    }
    const text = { kind: "regex", source: "^(?:word399|(a+)+)$", flags: "su" };
    const found = await paths(createHostWorkspace({ root: ws }), { text });
    expect(found).toEqual(expect.arrayContaining(expected));
  });

  it("does not keep a process running", () => {
    const { ws } = manyFiles();
    const program = `
      import { scanFolder } from "@haft/core";
      import { createHostWorkspace } from "@haft/workspace";
      let count = 0;
      for await (const { entries } of scanFolder(createHostWorkspace({ root: ${JSON.stringify(ws)} }), ".")) count += entries.length;
      console.log(count);`;
    const words = ["--conditions=@haft/source", "--input-type=module", "-e", program];
    const output = execFileSync(process.execPath, words, {
      cwd: join(import.meta.dirname, "../../../.."),
      encoding: "utf8",
    });
    expect(output.trim()).toBe(String(40 + 40 * 30));
  });
});
