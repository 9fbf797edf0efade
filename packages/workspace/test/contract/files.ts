/* oxlint-disable max-lines -- one contract, read as a whole */
import { scanFolder, type ScanOptions, type ScanPage, type Workspace } from "@haft/core";
import { describe, expect, it, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { fileFenceContract } from "./fence.ts";
import type { ContractOptions, OpenSite } from "./support.ts";
import {
  bytes,
  catchErrorCode,
  contractSite,
  catchFailure,
  listNames,
  prepare,
  run,
  textAt,
} from "./support.ts";

const emptyGaps = () => ({
  unreadable: { count: 0, first: "" },
  overflow: { count: 0, first: "" },
  tooDeep: { count: 0, first: "" },
  ignored: { count: 0, first: "" },
  links: { count: 0, first: "" },
});

/** What every `FileSystem` does, wherever its files are. */
export function fileContract(
  name: string,
  open: OpenSite,
  { without = [], oneIn = 1 }: ContractOptions = {},
): void {
  /** Of many answers and uploads, each of a megabyte at most. */
  const large = oneIn === 1 ? 9_000_017 : 2_500_017;
  describe(`files: ${name}`, () => {
    const site = contractSite(open);
    fileFenceContract(site, () => site.workspace.describe().target !== "host");

    describe("read", () => {
      it("returns bytes and the matching stat", async () => {
        const { fs } = site;
        const dir = await site.folder();
        await fs.write(`${dir}/a`, bytes("hello"));
        const { bytes: read, stat } = await fs.read(`${dir}/a`);
        expect(new TextDecoder().decode(read)).toBe("hello");
        expect(stat).toMatchObject({ type: "file", size: 5, links: 1 });
        expect(stat).toEqual(await fs.stat(`${dir}/a`));
      });

      it("supports offset, length and a buffer of the caller", async () => {
        const { fs } = site;
        const path = `${await site.folder()}/a`;
        await fs.write(path, bytes("0123456789"));
        const read = async (options: object) => Buffer.from((await fs.read(path, options)).bytes).toString();
        expect(await read({ offset: 3 })).toBe("3456789");
        expect(await read({ offset: 3, length: 2 })).toBe("34");
        expect(await read({ offset: 8, length: 9 })).toBe("89");
        expect(await read({ offset: 10 })).toBe("");
        expect(await read({ offset: 99 })).toBe("");
        expect(await read({ length: 0 })).toBe("");
        const into = new Uint8Array(4);
        const { bytes: view } = await fs.read(path, { into, offset: 1 });
        expect(view.buffer).toBe(into.buffer);
        expect(Buffer.from(view).toString()).toBe("1234");
        expect(Buffer.from((await fs.read(path, { into, offset: 8 })).bytes).toString()).toBe("89");
      });

      it("reads and writes every byte of large files", async () => {
        const { fs } = site;
        const path = `${await site.folder()}/large`;
        const content = Buffer.alloc(large, "0123456789abcdefghijklm");
        const { stat } = await fs.write(path, content);
        expect(stat.size).toBe(large);
        expect(Buffer.compare((await fs.read(path)).bytes, content)).toBe(0);
        expect(Buffer.compare((await fs.read(path, { offset: 1 })).bytes, content.subarray(1))).toBe(0);
        const into = new Uint8Array(large - 5);
        expect(Buffer.compare((await fs.read(path, { into })).bytes, content.subarray(0, large - 5))).toBe(0);
      });

      it("rejects too large files, and names a fix", async () => {
        const { fs, processes } = site;
        const dir = await site.folder();
        await prepare(processes, "truncate -s 70000000 huge", dir);
        const failure = await catchFailure(fs.read(`${dir}/huge`));
        expect(failure).toMatchObject({ code: "FILE_TOO_LARGE", category: "input", receipt: "none" });
        expect(failure.fix).toContain("offset");
        expect((await fs.read(`${dir}/huge`, { offset: 69_999_990 })).bytes).toHaveLength(10);
      });

      it("stops after an abort", async () => {
        const { fs } = site;
        const path = `${await site.folder()}/large`;
        await fs.write(path, new Uint8Array(large));
        expect(await catchErrorCode(fs.read(path, { signal: AbortSignal.abort() }))).toBe("ABORTED");
        const controller = new AbortController();
        const reading = fs.read(path, { signal: controller.signal });
        controller.abort();
        expect(await catchErrorCode(reading)).toBe("ABORTED");
        expect((await fs.read(path)).bytes).toHaveLength(large);
      });

      // Made once: nobody changes it.
      let unreadable: Promise<string> | undefined;
      const makeUnreadable = async (): Promise<string> => {
        const dir = await site.folder();
        await prepare(site.processes, "touch file; mkdir dir; mkfifo pipe; ln -s circle circle", dir);
        return dir;
      };

      it.each([
        ["nothing", "none", "FILE_NOT_FOUND"],
        ["a folder", "dir", "IS_DIRECTORY"],
        ["below a file", "file/x", "NOT_A_DIRECTORY"],
        ["a file spelled as a folder", "file/", "NOT_A_DIRECTORY"],
        ["the parent of a missing folder", "none/../file", "FILE_NOT_FOUND"],
        ["a name no disk can hold", "x".repeat(256), "INVALID_PATH"],
        ["a path of 5,000 bytes", "d/".repeat(2500), "INVALID_PATH"],
        ["a pipe", "pipe", "NOT_A_FILE"],
        ["a NUL", "a\0b", "INVALID_PATH"],
        ["a link in a circle", "circle", "INVALID_PATH"],
      ])("explains the failure: %s", async (_, path, code) => {
        const { fs } = site;
        const dir = await (unreadable ??= makeUnreadable());
        const failure = await catchFailure(fs.read(`${dir}/${path}`));
        expect(failure).toMatchObject({ code, category: "input", receipt: "none" });
        expect(failure.details).toMatchObject({ path: `${dir}/${path}` });
        expect(failure.fix).toBeTruthy();
        expect(failure.message).not.toContain("/proc/");
      });
    });

    describe("scan", () => {
      const collect = async (workspace: Workspace, path: string, options: ScanOptions) => {
        const all: Omit<ScanPage, "last" | "isLast"> = { entries: [], ...emptyGaps() };
        for await (const page of scanFolder(workspace, path, options)) {
          all.entries.push(...page.entries);
          for (const gap of ["unreadable", "overflow", "tooDeep", "ignored", "links"] as const) {
            if (all[gap].count === 0) all[gap].first = page[gap].first;
            all[gap].count += page[gap].count;
          }
        }
        return all;
      };
      const byFolder = (): Workspace => ({
        ...site.workspace,
        fs: { ...site.fs, scan: async () => undefined },
      });

      it("returns the entries of a walk folder by folder", async () => {
        const dir = await site.folder();
        const files: Record<string, string> = { ".gitignore": "*.log\nbuild/\n", "build/b": "" };
        for (let folder = 0; folder < 8; folder += 1) {
          files[`d${folder}/a.log`] = "";
          for (let file = 0; file < 6; file += 1) files[`d${folder}/x y/f${file}.txt`] = `word${file}\n`;
        }
        for (const [path, content] of Object.entries(files))
          await site.fs.write(`${dir}/${path}`, bytes(content));
        const options: ScanOptions[] = [
          {},
          { includeIgnored: true },
          { glob: "*.txt" },
          { glob: "!*.txt" },
          { after: "d3/x y/f3.txt" },
          { after: "d3/x y", inclusive: true },
          { after: "d3/nothing" },
        ];
        for (const each of options)
          expect(await collect(site.workspace, dir, each)).toEqual(await collect(byFolder(), dir, each));
        const { entries } = await collect(site.workspace, dir, { text: { kind: "literal", text: "word5" } });
        expect(entries.filter(({ path }) => path.endsWith("f5.txt"))).toHaveLength(8);
      });

      it("is not blocked by an expression that takes exponential time", async () => {
        const dir = await site.folder();
        await site.fs.write(`${dir}/slow`, bytes(`${"a".repeat(5000)}!\n`));
        const text = { kind: "regex", source: "^(a+)+$", flags: "su" } as const;
        const { entries } = await collect(site.workspace, dir, { text });
        expect(entries).toEqual([{ path: "slow", type: "file" }]);
      });

      it("rejects a start that is missing or no folder", async () => {
        const dir = await site.folder();
        await site.fs.write(`${dir}/file`, bytes("x"));
        expect(await catchErrorCode(collect(site.workspace, `${dir}/none`, {}))).toBe("FILE_NOT_FOUND");
        expect(await catchErrorCode(collect(site.workspace, `${dir}/file`, {}))).toBe("NOT_A_DIRECTORY");
        expect(await catchErrorCode(collect(site.workspace, "/", {}))).toBe("OUTSIDE_WORKSPACE");
      });
    });

    describe("list, stat and realpath", () => {
      it("return names with types, up to the limit", async () => {
        const { fs, processes } = site;
        const dir = await site.folder();
        await prepare(processes, "touch file; ln -s file link; mkdir sub; mkfifo pipe", dir);
        const { entries, truncated } = await fs.list(dir);
        expect(entries.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
          { name: "file", type: "file" },
          { name: "link", type: "symlink" },
          { name: "pipe", type: "other" },
          { name: "sub", type: "directory" },
        ]);
        expect(truncated).toBe(false);
        expect(await fs.list(dir, { limit: 3 })).toMatchObject({ truncated: true, entries: { length: 3 } });
        expect((await fs.list(dir, { limit: 4 })).truncated).toBe(false);
        expect(await catchErrorCode(fs.list(`${dir}/file`))).toBe("NOT_A_DIRECTORY");
        expect(await catchErrorCode(fs.list(`${dir}/none`))).toBe("FILE_NOT_FOUND");
      });

      it("return thousands of entries", async () => {
        const { fs, processes } = site;
        const dir = await site.folder();
        await prepare(
          processes,
          'i=0; while [ $i -lt 3000 ]; do : >"a name of some length $i"; i=$((i+1)); done',
          dir,
        );
        const { entries, truncated } = await fs.list(dir);
        expect([new Set(entries.map((one) => one.name)).size, truncated]).toEqual([3000, false]);
      });

      it("return undefined for missing files", async () => {
        const { fs, processes } = site;
        const dir = await site.folder();
        await prepare(processes, "touch file; ln -s none dangling", dir);
        for (const path of ["none", "none/x", "file/x", "dangling", "none/../x"]) {
          expect(await fs.stat(`${dir}/${path}`)).toBeUndefined();
        }
        expect(await fs.stat(`${dir}/dangling`, { follow: false })).toMatchObject({ type: "symlink" });
        expect(await fs.stat(dir)).toMatchObject({ type: "directory" });
      });

      it("resolve links, and missing names", async () => {
        const { fs, processes, root } = site;
        const dir = await site.folder();
        const at = (path: string) => `${root}/${dir}/${path}`;
        await prepare(
          processes,
          "mkdir real; touch real/file; ln -s real link; ln -s real/new dangling",
          dir,
        );
        expect(await fs.realpath(`${dir}/link/file`)).toBe(at("real/file"));
        expect(await fs.realpath(`${dir}/link/none`)).toBe(at("real/none"));
        expect(await fs.realpath(`${dir}/link/a/b`)).toBe(at("real/a/b"));
        expect(await fs.realpath(`${dir}/dangling`)).toBe(at("real/new"));
        expect(await fs.realpath(`${dir}/link/..`)).toBe(`${root}/${dir}`);
        expect(await fs.realpath(at("link"))).toBe(at("real"));
        expect(await fs.realpath(`file://${at("link")}`)).toBe(at("real"));
        expect(await fs.realpath(".")).toBe(root);
      });

      it("support any name that a disk can store", async () => {
        const { fs } = site;
        const dir = await site.folder();
        const names = ["ä".repeat(127) + "x", "a b", "-rf", "'\"$`\\", "名前", "🔧", "a:b", "*"];
        for (const one of names) await fs.write(`${dir}/${one}`, bytes(one));
        expect(await listNames(site, dir)).toEqual(names.toSorted());
        for (const one of names) expect(await textAt(site, `${dir}/${one}`)).toBe(one);
      });
    });

    describe("write", () => {
      it("creates parents, replaces files, and reports which happened", async () => {
        const { fs } = site;
        const path = `${await site.folder()}/b/c.txt`;
        const first = await fs.write(path, bytes("one"));
        const second = await fs.write(path, bytes(""));
        expect([first.created, second.created]).toEqual([true, false]);
        expect(second.stat).toEqual(await fs.stat(path));
        expect(second.stat.version).not.toBe(first.stat.version);
        expect(await textAt(site, path)).toBe("");
        expect(await catchErrorCode(fs.write(`${path}-none/x`, bytes(""), { parents: false }))).toBe(
          "FILE_NOT_FOUND",
        );
      });

      it("sets and keeps modes", async () => {
        const { fs } = site;
        const path = `${await site.folder()}/run.sh`;
        await fs.write(path, bytes("old"), { permissions: 0o751 });
        expect((await fs.stat(path))!.mode).toBe(0o751);
        await fs.write(path, bytes("new"), { permissions: 0o600 });
        expect((await fs.stat(path))!.mode).toBe(0o751);
      });

      it("keeps the access list of a replaced file", async (context) => {
        const { fs, processes } = site;
        const cwd = await site.folder();
        await fs.write(`${cwd}/secret`, bytes("old"), { permissions: 0o600 });
        const list = async () => (await run(processes, { script: "getfacl -cn secret", cwd })).text;
        const { exitCode } = await run(processes, { script: "setfacl -m u:33:r secret", cwd });
        context.skip(exitCode !== 0, "no access lists there");
        const before = await list();
        expect(before).toContain("group::---");
        await fs.write(`${cwd}/secret`, bytes("new"));
        expect(await textAt(site, `${cwd}/secret`)).toBe("new");
        expect(await list()).toBe(before);
      });

      it("create rejects every existing entry, also a dangling link", async () => {
        const { fs, processes } = site;
        const dir = await site.folder();
        await prepare(processes, "printf kept >file; mkdir dir; ln -s nowhere link", dir);
        const create = (path: string) => fs.write(`${dir}/${path}`, bytes("x"), { mode: "create" });
        expect(await catchErrorCode(create("file"))).toBe("FILE_EXISTS");
        expect(await catchErrorCode(create("dir"))).toBe("IS_DIRECTORY");
        expect(await catchErrorCode(create("link"))).toBe("FILE_EXISTS");
        expect((await create("new")).stat.links).toBe(1);
        expect(await textAt(site, `${dir}/file`)).toBe("kept");
        expect(await listNames(site, dir)).toEqual(["dir", "file", "link", "new"]);
      });

      it("lets exactly one of many concurrent creators succeed", async () => {
        const { fs } = site;
        const dir = await site.folder();
        const many = scaleRuns(8, oneIn);
        const outcomes = await Promise.all(
          Array.from({ length: many }, (_, index) =>
            fs.write(`${dir}/one`, Buffer.alloc(2_000_000, index), { mode: "create" }).then(
              () => "made",
              (thrown: unknown) => (thrown as { code: string }).code,
            ),
          ),
        );
        expect(outcomes.toSorted()).toEqual([...Array(many - 1).fill("FILE_EXISTS"), "made"]);
        expect((await run(site.processes, { script: "ls -A | wc -l", cwd: dir })).text.trim()).toBe("1");
      });

      it("ifMatch rejects a file that changed, vanished or appeared", async () => {
        const { fs, processes } = site;
        const dir = await site.folder();
        const write = (path: string, ifMatch: string | null) =>
          fs.write(`${dir}/${path}`, bytes("x"), { ifMatch });
        await fs.write(`${dir}/a`, bytes("one"));
        const { version } = (await fs.stat(`${dir}/a`))!;
        await write("a", version);
        expect(await catchErrorCode(write("a", version))).toBe("FILE_CHANGED");
        expect(await catchErrorCode(write("b", version))).toBe("FILE_CHANGED");
        expect(await catchErrorCode(write("a", null))).toBe("FILE_CHANGED");
        expect((await write("b", null)).created).toBe(true);
        const now = (await fs.stat(`${dir}/a`))!.version;
        await prepare(processes, "printf by-a-command >a", dir);
        expect(await catchErrorCode(write("a", now))).toBe("FILE_CHANGED");
        expect(await textAt(site, `${dir}/a`)).toBe("by-a-command");
      });

      it("leaves no file after an abort", async () => {
        const { fs, processes } = site;
        const dir = await site.folder();
        const controller = new AbortController();
        const writing = fs.write(`${dir}/a/b/c`, new Uint8Array(40_000_000), { signal: controller.signal });
        await new Promise((resolve) => setTimeout(resolve, 1));
        controller.abort();
        expect(await catchFailure(writing)).toMatchObject({ code: "ABORTED", receipt: "none" });
        expect((await run(processes, { script: "ls -A", cwd: dir })).text).toBe("");
        const aborted = fs.write(`${dir}/x`, bytes("x"), { signal: AbortSignal.abort() });
        expect(await catchErrorCode(aborted)).toBe("ABORTED");
        expect(await listNames(site, dir)).toEqual([]);
      });

      it("flushes on request", async () => {
        const { fs } = site;
        const path = `${await site.folder()}/x/y/z`;
        await fs.write(path, bytes("safe"), { durable: true });
        expect(await textAt(site, path)).toBe("safe");
      });

      it("rejects impossible writes, and leaves the disk unchanged", async () => {
        const { fs, processes } = site;
        const dir = await site.folder();
        await prepare(processes, "touch file; mkdir dir", dir);
        const refused: Record<string, string> = {};
        const cases = {
          "a folder": "dir",
          "a name spelled as a folder": "new/",
          "below a file": "file/x",
          "the parent of a missing folder": "none/../x",
          "a name no disk can hold": `fresh/${"x".repeat(256)}`,
        };
        for (const [what, path] of Object.entries(cases))
          refused[what] = await catchErrorCode(fs.write(`${dir}/${path}`, bytes("x")));
        expect(refused).toEqual({
          "a folder": "IS_DIRECTORY",
          "a name spelled as a folder": "IS_DIRECTORY",
          "below a file": "NOT_A_DIRECTORY",
          "the parent of a missing folder": "FILE_NOT_FOUND",
          "a name no disk can hold": "INVALID_PATH",
        });
        expect((await run(processes, { script: "find . | sort", cwd: dir })).text).toBe(".\n./dir\n./file\n");
      });

      it.skipIf(without.includes("read-only globs"))("does not change a read-only file", async () => {
        const { fs } = site;
        const path = `${await site.folder()}/.git/hooks/pre-commit`;
        const failure = await catchFailure(fs.write(path, bytes("x")));
        expect(failure).toMatchObject({ code: "READ_ONLY", category: "policy", receipt: "none" });
      });
    });

    describe("append, mkdirp, remove and rename", () => {
      it("append creates, then adds, and loses no concurrent append", async () => {
        const { fs } = site;
        const path = `${await site.folder()}/log/a`;
        expect((await fs.append(path, bytes("one;"))).created).toBe(true);
        expect(await fs.append(path, bytes("two;"))).toMatchObject({ created: false, stat: { size: 8 } });
        const many = scaleRuns(20, oneIn);
        await Promise.all(Array.from({ length: many }, (_, index) => fs.append(path, bytes(`${index};`))));
        expect((await textAt(site, path)).split(";").length).toBe(many + 3);
        await fs.append(path, new Uint8Array(3_000_000));
        expect((await fs.stat(path))!.size).toBeGreaterThan(3_000_000);
      });

      test.skipIf(without.includes("hard links"))(
        "append never changes a file with several names",
        async () => {
          const { fs, processes } = site;
          const dir = await site.folder();
          await prepare(processes, "printf kept >a; ln a b", dir);
          expect(await catchErrorCode(fs.append(`${dir}/b`, bytes("x")))).toBe("HARD_LINKED");
          expect((await run(processes, { script: "cat a", cwd: dir })).text).toBe("kept");
        },
      );

      it("mkdirp returns its new folders, outermost first, and removes them after a failure", async () => {
        const { fs, root } = site;
        const dir = await site.folder();
        expect(await fs.mkdirp(`${dir}/b/c`)).toEqual([`${root}/${dir}/b`, `${root}/${dir}/b/c`]);
        expect(await fs.mkdirp(`${dir}/b/c/`)).toEqual([]);
        await fs.write(`${dir}/file`, bytes(""));
        expect(await catchErrorCode(fs.mkdirp(`${dir}/x/y/${"x".repeat(300)}`))).toBe("INVALID_PATH");
        expect(await catchErrorCode(fs.mkdirp(`${dir}/file/x`))).toBe("NOT_A_DIRECTORY");
        expect(await listNames(site, dir)).toEqual(["b", "file"]);
      });

      it("remove deletes files, links and empty folders of the expected version, and never a root", async () => {
        const { fs, processes } = site;
        const dir = await site.folder();
        await prepare(processes, "touch file; mkdir full empty; touch full/x; ln -s full link", dir);
        expect(await catchErrorCode(fs.remove(`${dir}/full`))).toBe("FILE_EXISTS");
        expect(await catchErrorCode(fs.remove(`${dir}/none`))).toBe("FILE_NOT_FOUND");
        expect(await catchErrorCode(fs.remove(`${dir}/link/`))).toBe("NOT_A_DIRECTORY");
        for (const path of ["link", "empty/"]) await fs.remove(`${dir}/${path}`);
        const { version } = (await fs.stat(`${dir}/file`))!;
        await fs.append(`${dir}/file`, bytes("x"));
        expect(await catchErrorCode(fs.remove(`${dir}/file`, { ifMatch: version }))).toBe("FILE_CHANGED");
        expect(await catchErrorCode(fs.remove("."))).toBe("READ_ONLY");
        expect(await listNames(site, dir)).toEqual(["file", "full"]);
      });

      it("rename moves, and overwrites only on request", async () => {
        const { fs, processes } = site;
        const dir = await site.folder();
        const rename = (from: string, to: string, options?: { replace?: boolean; ifMatch?: string }) =>
          fs.rename(`${dir}/${from}`, `${dir}/${to}`, options);
        await prepare(processes, "printf A >a; printf B >b; mkdir dir empty; touch dir/x; ln -s a link", dir);
        expect(await catchErrorCode(rename("a", "b"))).toBe("FILE_EXISTS");
        expect(await catchErrorCode(rename("dir", "empty"))).toBe("FILE_EXISTS");
        expect(await catchErrorCode(rename("a", "dir", { replace: true }))).toBe("IS_DIRECTORY");
        expect(await catchErrorCode(rename("none", "x"))).toBe("FILE_NOT_FOUND");
        expect(await catchErrorCode(rename("a", "none/x"))).toBe("FILE_NOT_FOUND");
        expect(await catchErrorCode(rename("dir", "dir/sub"))).toBe("INVALID_PATH");
        expect(await catchErrorCode(rename("a", "c", { ifMatch: "another" }))).toBe("FILE_CHANGED");
        await rename("a", "b", { replace: true });
        await rename("dir", "empty", { replace: true });
        await rename("link", "empty/link");
        expect(await textAt(site, `${dir}/b`)).toBe("A");
        expect(await fs.stat(`${dir}/empty/link`, { follow: false })).toMatchObject({ type: "symlink" });
        expect(await listNames(site, dir)).toEqual(["b", "empty"]);
      });
    });

    describe("the boundary", () => {
      it.each([
        "/etc/passwd",
        "../x",
        "../../../../etc/passwd",
        "/",
        "/proc/self/environ",
        "file:///etc/passwd",
      ])("denies access to %s", async (path) => {
        const { fs } = site;
        for (const call of [
          () => fs.read(path),
          () => fs.stat(path),
          () => fs.realpath(path),
          () => fs.list(path),
          () => fs.write(path, bytes("x")),
          () => fs.append(path, bytes("x")),
          () => fs.mkdirp(`${path}/x`),
          () => fs.remove(path),
          () => fs.rename(path, "x"),
          ...(fs.check ? [() => fs.check!(path, "read"), () => fs.check!(path, "write")] : []),
        ]) {
          expect(await catchFailure(call())).toMatchObject({ code: "OUTSIDE_WORKSPACE", receipt: "none" });
        }
      });

      it("does not follow outside links, and removes them", async () => {
        const { fs, processes } = site;
        const dir = await site.folder();
        await prepare(processes, "ln -s /etc out; ln -s /etc/passwd file; ln -s ../../../../.. up", dir);
        for (const path of ["out/passwd", "file", "up/etc/passwd", "out"]) {
          expect(await catchErrorCode(fs.read(`${dir}/${path}`))).toBe("OUTSIDE_WORKSPACE");
          expect(await catchErrorCode(fs.write(`${dir}/${path}`, bytes("x")))).toBe("OUTSIDE_WORKSPACE");
        }
        for (const path of ["out", "file", "up"]) {
          await fs.check?.(`${dir}/${path}`, "write", { follow: false });
          await fs.remove(`${dir}/${path}`);
        }
        expect(await listNames(site, dir)).toEqual([]);
      });

      it("check reports a rejection without an effect", async () => {
        const { fs, processes } = site;
        if (fs.check === undefined) return;
        const dir = await site.folder();
        await prepare(processes, "ln -s /etc/passwd out; ln -s b in; echo a > b; mkdir .git", dir);
        const names = await listNames(site, dir);
        for (const path of ["b", "in", "new", "new/deep/c", ".", ".git/config"])
          await fs.check(`${dir}/${path}`, "read");
        for (const path of ["b", "in", "new", "new/deep/c"]) await fs.check(`${dir}/${path}`, "write");
        for (const access of ["read", "write"] as const) {
          expect(await catchErrorCode(fs.check(`${dir}/out`, access))).toBe("OUTSIDE_WORKSPACE");
        }
        for (const path of [".git", ".git/config", "new/.git/config"]) {
          const written = await catchErrorCode(fs.write(`${dir}/${path}/x`, bytes("x")));
          expect([path, await catchErrorCode(fs.check(`${dir}/${path}`, "write"))]).toEqual([path, written]);
        }
        expect(await listNames(site, dir)).toEqual(names);
      });
    });

    it("keeps many concurrent operations separate", async () => {
      const { fs } = site;
      const dir = await site.folder();
      const many = scaleRuns(100, oneIn);
      await Promise.all(
        Array.from({ length: many }, async (_, index) => {
          const content = Buffer.alloc(1 + index * oneIn * 1_000, String(index));
          await fs.write(`${dir}/${index}`, content);
          expect(Buffer.compare((await fs.read(`${dir}/${index}`)).bytes, content)).toBe(0);
        }),
      );
      expect((await fs.list(dir)).entries).toHaveLength(many);
    });
  });
}
