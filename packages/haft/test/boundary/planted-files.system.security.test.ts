import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { realFolder } from "../../../../test/support/real-folder.ts";

/** Ways in which a command may leave a file that another program reads. */
const PLANTED: Record<string, (path: string) => void> = {
  "a pipe": (path) => execFileSync("mkfifo", [path]),
  "a link to an endless device": (path) => symlinkSync("/dev/zero", path),
  "a file of a terabyte": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 1024 ** 4);
  },
};

/** A program that waits for a pipe hangs for good: it is ended after so long, and this is no measure of speed. */
const PATIENCE_MS = 120_000;
/** Bytes. An endless file would fill more in a moment. */
const MEMORY = 1024 ** 3;

/** Runs a program on these sources; the test fails when it does not end, or takes too much memory. */
async function runs(code: string, env: Record<string, string> = {}): Promise<void> {
  const file = join(realFolder(), "program.ts");
  const index = new URL("../../src/index.ts", import.meta.url).href;
  const cleanUp = new URL("../../../workspace/src/processes/state-folder.ts", import.meta.url).href;
  writeFileSync(
    file,
    `import { readFileSync } from "node:fs";
import { createHost } from ${JSON.stringify(index)};
import { cleanUp, openRun } from ${JSON.stringify(cleanUp)};
${code}
const [, kilobytes] = /^VmHWM:\\s+(\\d+)/m.exec(readFileSync("/proc/self/status", "utf8"));
if (kilobytes * 1024 > ${MEMORY}) throw new Error("too much memory");
console.log("done");
process.exit(0);`,
  );
  const child = spawn(process.execPath, [...conditions, "--no-warnings", file], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => (output += bytes.toString()));
  const end = await new Promise((resolve) =>
    child.on("close", (status, signal) => resolve(status ?? signal)),
  );
  expect([end, output]).toEqual([0, expect.stringContaining("done")]);
}

test.each(Object.entries(PLANTED))("cleans up the folder of a run that contains %s", async (_, plant) => {
  const state = realFolder();
  const names = ["control-group", "owner", "pids"];
  // Its program is gone at once.
  await runs(names.map(() => `openRun(${JSON.stringify(state)});`).join("\n"));
  const folders = readdirSync(state);
  expect(folders).toHaveLength(names.length);
  for (const [index, name] of names.entries()) {
    rmSync(join(state, folders[index]!, name), { force: true });
    plant(join(state, folders[index]!, name));
  }
  await runs(`await cleanUp(${JSON.stringify(state)});`);
  // Nothing says whose it was without the owner: such a folder stays for some days.
  expect(readdirSync(state)).toEqual([folders[names.indexOf("owner")]]);
});

test.each(Object.entries(PLANTED))(
  "opens a host in a workspace with %s in place of each file that it reads or records",
  async (_, plant) => {
    const base = realFolder();
    const root = join(base, "work");
    mkdirSync(root);
    execFileSync("git", ["init", "-q"], { cwd: root });
    const names =
      "package.json package-lock.json pnpm-lock.yaml yarn.lock .npmrc .yarnrc.yml haft.config.json .gitignore .ignore " +
      ".rgignore .editorconfig .gitattributes .gitmodules lefthook.yml .git/commondir .git/config.worktree .git/info/exclude " +
      ".git/hooks/pre-commit node_modules/x/package.json .husky/pre-commit";
    for (const name of names.split(" ")) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      rmSync(path, { force: true });
      plant(path);
    }
    const state = join(base, "state");
    const code = `const host = await createHost({ workspaceDir: ${JSON.stringify(root)}, stateDir: ${JSON.stringify(state)}, administratorPolicy: false });
const session = await host.openSession();
for (const [name, args] of [
  ["write", { path: "a.txt", content: "x\\n" }],
  ["edit", { path: "a.txt", oldText: "x", newText: "y" }],
  ["ls", { path: "." }],
  ["find", { pattern: "*" }],
  ["grep", { pattern: "y" }],
  ["exec", { command: "cat a.txt" }],
]) {
  const outcome = await session.call({ name, arguments: args });
  if (outcome.kind !== "ok") throw new Error(name + " " + JSON.stringify(outcome));
}
await host.close();`;
    await runs(code, { HOME: base });
    const records = readdirSync(state, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && /\.(?:done|open|failed|json|since)$/.test(one.name))
      .map((one) => join(one.parentPath, one.name));
    for (const path of records) {
      rmSync(path);
      plant(path);
    }
    expect(records.length).toBeGreaterThan(0);
    await runs(code, { HOME: base });
  },
);
