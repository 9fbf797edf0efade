import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { tempFolder } from "../support.ts";
import { createWorkspaceFolder, testInSandbox } from "./support.ts";

const PROGRAM = fileURLToPath(new URL("list-open-files.ts", import.meta.url));

testInSandbox("passes no file that the host inherited from its parent", () => {
  const folder = tempFolder("inherited");
  mkdirSync(join(folder, "closed"));
  writeFileSync(join(folder, "closed/secret"), "secret");
  chmodSync(join(folder, "closed"), 0o700);
  // Numbers among those the launcher uses itself, and beyond.
  const script = `exec 7<"$1/closed" 8<"$1/closed/secret" 23<"$1/closed" 99<"$1/closed/secret"; exec "$2" ${conditions.join(" ")} "$3" "$4" "$1"`;
  const output = execFileSync(
    "bash",
    ["-c", script, "bash", folder, process.execPath, PROGRAM, createWorkspaceFolder()],
    { encoding: "utf8" },
  );
  expect(output).toContain("->");
  expect(output).not.toContain(folder);
  expect(output).not.toContain("secret");
});
