import { PROJECT_SETTINGS } from "@haft/workspace";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { conditions } from "../../../../../test/support/build-under-test.ts";
import { createArtifactScanner } from "../../../src/view/artifacts/create-artifact-scanner.ts";
import { finishScans } from "../../../src/view/artifacts/finish-scans.ts";
import { tempFolder } from "../../support.ts";
import { createProject, git, onHost } from "../git/contained.ts";

const HOST = fileURLToPath(new URL("host-to-kill.ts", import.meta.url));

test("quarantines files of a command whose host was killed, and leaves older files", async () => {
  const { root } = createProject();
  const folder = tempFolder("left-behind");
  mkdirSync(join(root, "sub/.vscode"), { recursive: true });
  onHost(root, "git init -q sub/theirs; git init -q sub/unheld");
  const options = { patterns: PROJECT_SETTINGS, folder };
  const host = spawn(
    process.execPath,
    [
      ...conditions,
      HOST,
      JSON.stringify({
        ...options,
        roots: [root],
        repositories: [join(root, ".git"), join(root, "sub/theirs/.git")],
      }),
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  onTestFinished(() => void host.kill("SIGKILL"));
  await once(host.stdout, "data");
  // While it lives that is its own work.
  expect(await finishScans(options)).toEqual([]);
  onHost(
    root,
    "echo evil >.envrc; mkdir .claude; git init -q new; git -C new config core.fsmonitor evil; echo evil >.git/hooks/pre-commit",
  );
  // As a user's own do: they are not new by that.
  onHost(
    root,
    "touch sub/.vscode/tasks.json; git -C sub/theirs config alias.x status; git config alias.x status; git -C sub/unheld config alias.x status",
  );
  host.kill("SIGKILL");
  await once(host, "exit");
  const notices = await finishScans(options);
  expect(notices[0]).toContain("was killed here while contained commands ran");
  for (const path of [".envrc", ".claude", ".git/hooks/pre-commit"]) {
    expect(notices.join("\n")).toContain(`Held back: ${join(root, path)}, `);
    expect(existsSync(join(root, path))).toBe(false);
  }
  expect(notices.join("\n")).toContain("core.fsmonitor");
  expect(notices.join("\n")).toContain(`The repository ${join(root, "new")} came from a contained command`);
  expect(readdirSync(join(root, "sub/.vscode"))).toEqual(["tasks.json"]);
  for (const at of [root, join(root, "sub/theirs")]) expect(git(at, "config", "alias.x")).toBe("status\n");
  // The view did not hold this one, so a command may have done it.
  expect(() => git(join(root, "sub/unheld"), "config", "alias.x")).toThrow("Command failed");
  await sleep(60);
  writeFileSync(join(root, ".envrc"), "mine");
  expect(await finishScans(options)).toEqual([]);
  expect(readdirSync(join(folder, "open"))).toEqual([]);
  expect(existsSync(join(root, ".envrc"))).toBe(true);
  // A session that ends in order leaves nothing to finish, also when something of its last command was still running then.
  const scanner = createArtifactScanner({ ...options, roots: [root], repositories: [] });
  await scanner.before();
  await scanner.after(true);
  await scanner.finish(true);
  await scanner.close();
  expect(readdirSync(join(folder, "open"))).toEqual([]);
});
