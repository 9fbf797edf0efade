import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { haftHere } from "../support/haft.ts";

test.for(["exec: { preset: contained }", "deny: [exec]", "sessions: { group: { deny: [grep] } }"])(
  "reports the right position of a misplaced policy key: %s",
  async (line) => {
    const cwd = await temporaryFolder();
    writeFileSync(join(cwd, "haft.config.yaml"), `${line}\n`);
    const { code, stderr } = await haftHere(["tools", "--config", join(cwd, "haft.config.yaml")], { cwd });
    expect(stderr).toContain(`it belongs under policy: { ${line.split(":")[0]}: … }`);
    expect(code).not.toBe(0);
  },
);
