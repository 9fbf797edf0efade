import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { haft } from "../support/haft.ts";

/** Ways in which somebody else could have put code there; each makes a state folder and answers it. */
const ways: Record<string, (folder: string) => string> = {
  "the folder is a link": (folder) => {
    mkdirSync(join(folder, "elsewhere"), { mode: 0o700 });
    symlinkSync("elsewhere", join(folder, "compiled"));
    writeFileSync(join(folder, "haft.db"), "");
    return folder;
  },
  "it is a file": (folder) => {
    writeFileSync(join(folder, "compiled"), "");
    return folder;
  },
  "the group could write to it": (folder) => {
    mkdirSync(join(folder, "compiled"));
    chmodSync(join(folder, "compiled"), 0o770);
    return folder;
  },
  "others can look into it": (folder) => {
    mkdirSync(join(folder, "compiled"));
    chmodSync(join(folder, "compiled"), 0o705);
    return folder;
  },
  "others can write to the state folder": (folder) => {
    chmodSync(folder, 0o757);
    return folder;
  },
  "others can write to a folder above it": (folder) => {
    mkdirSync(join(folder, "state"), { mode: 0o700 });
    chmodSync(folder, 0o777);
    return join(folder, "state");
  },
  "a link leads to where others can write": (folder) => {
    mkdirSync(join(folder, "open/state"), { recursive: true, mode: 0o700 });
    chmodSync(join(folder, "open"), 0o777);
    symlinkSync("open/state", join(folder, "link"));
    return join(folder, "link");
  },
  "it cannot be made": (folder) => {
    writeFileSync(join(folder, "file"), "");
    return join(folder, "file/state");
  },
  "the folder has other things in it": (folder) => {
    writeFileSync(join(folder, "notes.txt"), "");
    return folder;
  },
  "there is no state folder yet": (folder) => join(folder, "none"),
  "the folder is named by a relative path": () => "state",
};
const waysOfRoot: typeof ways = {
  "it is somebody else's": (folder) => {
    mkdirSync(join(folder, "compiled"), { mode: 0o700 });
    chownSync(join(folder, "compiled"), 12_345, 12_345);
    return folder;
  },
  "the folder above is somebody else's": (folder) => {
    mkdirSync(join(folder, "compiled"), { mode: 0o700 });
    chownSync(folder, 12_345, 12_345);
    return folder;
  },
};

test("uses compiled code only from folders that no other user can write", async () => {
  const root = await temporaryFolder();
  const all = { ...ways, ...(process.getuid?.() === 0 ? waysOfRoot : {}) };
  const folders = Object.values(all).map((prepare, index) => {
    const folder = join(root, String(index));
    mkdirSync(folder, { mode: 0o700 });
    return prepare(folder);
  });
  const good = join(root, "state");
  mkdirSync(good, { mode: 0o700 });
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const program = fileURLToPath(new URL("print-compile-cache.ts", import.meta.url));
  const printed = execFileSync(process.execPath, [program, ...folders, good], {
    env,
    cwd: root,
    encoding: "utf8",
  })
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as string | null);
  expect(Object.fromEntries(Object.keys(all).map((way, index) => [way, printed[index]]))).toEqual(
    Object.fromEntries(Object.keys(all).map((way) => [way, null])),
  );
  // Nothing is made where it would not be used.
  expect(
    existsSync(
      join(root, String(Object.keys(all).indexOf("others can write to the state folder")), "compiled"),
    ),
  ).toBe(false);
  expect(printed.at(-1)).toContain(join(good, "compiled"));
  expect(lstatSync(join(good, "compiled")).mode & 0o777).toBe(0o700);
});

test("stores compiled code of a command, but not of --version", async () => {
  const cwd = await temporaryFolder();
  const env = { NODE_COMPILE_CACHE: "" };
  expect((await haft(["--version"], { cwd, env })).code).toBe(0);
  expect(() => readdirSync(getStateFolder(cwd))).toThrow("ENOENT");
  mkdirSync(getStateFolder(cwd), { recursive: true, mode: 0o700 });
  expect((await haft(["tools"], { cwd, env })).code).toBe(0);
  const stored = readdirSync(join(getStateFolder(cwd), "compiled"), { recursive: true });
  expect(stored.length).toBeGreaterThan(5);
});
