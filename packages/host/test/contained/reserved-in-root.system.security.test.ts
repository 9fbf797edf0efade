import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openTestHost, isSkipped, run } from "../sandbox/support.ts";

test.skipIf(isSkipped)(
  "commands cannot reach Haft's files in a workspace, even before they exist",
  async () => {
    const root = realpathSync(await temporaryFolder());
    mkdirSync(join(root, "home/.config/gh"), { recursive: true });
    writeFileSync(join(root, "home/.config/gh/hosts.yml"), "token");
    const host = await openTestHost(root, {
      stateDir: join(root, "state/haft"),
      policy: { exec: { preset: "contained" } },
      boundary: { homeDir: join(root, "home") },
    });
    const session = await host.openSession();
    const attempts = [
      "mkdir -p state/haft/approvals/answers",
      "echo forged >state/haft/approvals/answers/one",
      "mv state state2 && mkdir -p state/haft/approvals",
      "rm -rf state",
      "ln -s /tmp state/haft",
      "mv home/.config home/other",
      "cat home/*/gh/hosts.yml",
      "echo went on",
    ];
    const printed = await run(session, attempts.map((line) => `( ${line} ) 2>&1`).join("\n"));
    expect(printed).toContain("went on");
    expect(printed).not.toContain("token");
    expect(existsSync(join(root, "state2"))).toBe(false);
    expect(existsSync(join(root, "state/haft/approvals/answers"))).toBe(false);
    expect(readdirSync(join(root, "home/.config"))).toEqual(["gh"]);
  },
);
