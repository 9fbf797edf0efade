import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { realFolder } from "../../../../test/support/real-folder.ts";
import { view } from "../../../../test/support/view.ts";
import { openHost } from "../support/open-host.ts";

/** A project with settings of the user, and a session in which something runs in the background. */
async function aSession(background: string) {
  const folder = realFolder();
  const root = join(folder, "work");
  mkdirSync(join(root, ".vscode"), { recursive: true });
  writeFileSync(join(root, ".envrc"), "old\n");
  writeFileSync(join(root, ".vscode/settings.json"), "old\n");
  execFileSync("git", ["init", "-q", root]);
  const warnings: string[] = [];
  const log = (text: string) => void warnings.push(text);
  const host = await openHost({
    workspaceDir: root,
    stateDir: join(folder, "state"),
    policy: { exec: { preset: "contained" } },
    logger: { debug() {}, info() {}, warn: log, error: log },
  });
  const session = await host.openSession({ kind: "main" });
  const call = async (args: Record<string, unknown>): Promise<string> => {
    const outcome = await session.call({ name: "exec", arguments: args });
    return outcome.content.map((one) => (one.type === "text" ? one.text : "")).join("");
  };
  await call({ command: "true" });
  await call({ command: background, background: true });
  return { root, warnings, host, run: (command: string) => call({ command }) };
}

/** As an editor does that writes a new file beside the old one. */
function save(path: string, content: string): void {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

const read = (path: string) => readFileSync(path, "utf8");

describe.skipIf(!view.available)("files that the user makes while a background command runs", () => {
  test("keep saved settings and installed hooks, and commands cannot change them", async () => {
    const { root, run, host, warnings } = await aSession("touch up; sleep 1000");
    await vi.waitFor(() => expect(existsSync(join(root, "up"))).toBe(true), { timeout: 30_000 });
    const hook = join(root, ".git/hooks/pre-commit");
    for (const round of ["one", "two"]) {
      save(join(root, ".envrc"), `${round}\n`);
      save(join(root, ".vscode/settings.json"), `${round}\n`);
      writeFileSync(join(root, ".vscode/tasks.json"), `${round}\n`);
      writeFileSync(hook, `#!/bin/sh\n# ${round}\n`, { mode: 0o755 });
      for (let attempt = 0; attempt < 2; attempt++) expect(await run("cat .envrc")).toContain(round);
      expect(await run("echo evil >.envrc; echo evil >.git/hooks/pre-commit; rm -f .envrc")).toContain(
        "Read-only",
      );
    }
    await host.close();
    for (const name of [".envrc", ".vscode/settings.json", ".vscode/tasks.json"])
      expect([name, read(join(root, name))]).toEqual([name, "two\n"]);
    expect(read(hook)).toContain("two");
    expect(warnings).toEqual([]);
  });

  test("are quarantined if a command may have made them, with a notice that explains the restoration", async () => {
    const { root, run, warnings } = await aSession("touch up; sleep 1000");
    await vi.waitFor(() => expect(existsSync(join(root, "up"))).toBe(true), { timeout: 30_000 });
    mkdirSync(join(root, ".idea"));
    writeFileSync(join(root, ".idea/x.xml"), "mine\n");
    await run("true");
    await vi.waitFor(
      () => expect(warnings.join("\n")).toContain(`haft sandbox restore ${join(root, ".idea")}`),
      { timeout: 30_000 },
    );
    expect(existsSync(join(root, ".idea"))).toBe(false);
  });

  test("stay clean if a command opens a file during the save and writes later", async () => {
    const { root, run } = await aSession(
      "touch up; until { exec 9>>.envrc; } 2>/dev/null; do :; done; until [ -e go ]; do sleep 0.1; done; echo evil >&9; touch wrote; sleep 1000",
    );
    await vi.waitFor(() => expect(existsSync(join(root, "up"))).toBe(true), { timeout: 30_000 });
    save(join(root, ".envrc"), "saved\n");
    for (let attempt = 0; attempt < 3; attempt++) await run("true");
    await run("touch go; until [ -e wrote ]; do sleep 0.1; done");
    await run("true");
    await vi.waitFor(
      () => {
        const path = join(root, ".envrc");
        expect(existsSync(path) ? read(path) : "").not.toContain("evil");
      },
      { timeout: 15_000 },
    );
  });

  test.for([
    ["writes into it", "echo evil >.envrc"],
    ["puts another file in its place", "echo evil >x; mv -f x .envrc"],
    ["adds to it", "echo evil >>.envrc"],
  ] as const)("stay clean if a command waits for the save and %s", async ([, evil]) => {
    const { root, run, warnings } = await aSession(
      `touch up; until { ${evil}; } 2>/dev/null; do :; done; sleep 1000`,
    );
    await vi.waitFor(() => expect(existsSync(join(root, "up"))).toBe(true), { timeout: 30_000 });
    for (let round = 0; round < 3; round++) {
      save(join(root, ".envrc"), `saved ${round}\n`);
      await run("true");
      const now = await vi.waitFor(
        () => {
          const text = existsSync(join(root, ".envrc")) ? read(join(root, ".envrc")) : "";
          expect(text).not.toContain("evil");
          return text;
        },
        { timeout: 30_000 },
      );
      if (now === "") {
        expect(warnings.join("\n")).toContain(`Held back: ${join(root, ".envrc")}`);
        return;
      }
    }
  });
});
