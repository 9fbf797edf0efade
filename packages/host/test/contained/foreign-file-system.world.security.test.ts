import { probeView } from "@haft/sandbox/view";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mountSshfs, noSshfs } from "../../../../test/support/mount-sshfs.ts";
import { createHost } from "../../src/host/host.ts";

const probe = await probeView();
const isRequired = process.env["HAFT_REQUIRE_SERVICES"] === "1";

test.skipIf(noSshfs || (!probe.available && !isRequired))(
  "no command runs in a view over sshfs, where commands can set the change time of files, and the result explains why",
  async () => {
    const { from, to: root, beside, close } = await mountSshfs();
    onTestFinished(close);
    const host = await createHost({
      workspaceDir: root,
      stateDir: join(beside, "state"),
      policy: { exec: { preset: "contained" } },
      administratorPolicy: false,
    });
    try {
      const session = await host.openSession();
      const command =
        "mkdir .vscode; echo x > .vscode/tasks.json; touch -d 2001-01-01 .vscode .vscode/tasks.json";
      const outcome = await session.call({ name: "exec", arguments: { command } });
      expect(JSON.stringify(outcome)).toContain("programs can set the change times of files there");
      expect(existsSync(join(from, ".vscode"))).toBe(false);
    } finally {
      await host.close();
    }
  },
);
