import { contentToText } from "@haft/core";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { view } from "../../../../test/support/view.ts";
import { createHost } from "../../src/host/host.ts";

test.skipIf(!view.available)(
  "existing start files in a home folder stay, and new start files are quarantined",
  async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-home-")));
    const home = join(folder, "home");
    mkdirSync(home);
    writeFileSync(join(home, ".profile"), "# mine\n");
    const host = await createHost({
      workspaceDir: home,
      stateDir: join(folder, "state"),
      boundary: { homeDir: home },
      policy: { exec: { preset: "contained" } },
      administratorPolicy: false,
    });
    onTestFinished(async () => {
      await host.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const session = await host.openSession();
    const run = async (command: string) => {
      const { content } = await session.call({ name: "exec", arguments: { command } });
      return contentToText(content);
    };

    expect(await run("echo 'touch evil' >> .profile")).toContain("Read-only");
    await run(
      "echo 'touch evil' > .bashrc; mkdir -p .config/autostart; echo x > .config/autostart/a.desktop; echo work > notes",
    );
    const printed = await run("cat notes");

    expect(printed).toContain("work");
    expect(printed).toContain(`Held back: ${join(home, ".bashrc")}`);
    expect(existsSync(join(home, ".bashrc"))).toBe(false);
    expect(existsSync(join(home, ".config/autostart/a.desktop"))).toBe(false);
    expect(readFileSync(join(home, ".profile"), "utf8")).toBe("# mine\n");
  },
);
