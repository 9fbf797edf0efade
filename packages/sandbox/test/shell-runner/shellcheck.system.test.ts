import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("../../src/shell-runner/runner.sh", import.meta.url));
const { error, status, stdout } = spawnSync("shellcheck", ["--shell=sh", program], { encoding: "utf8" });
const missing = error !== undefined && process.env["HAFT_REQUIRE_SERVICES"] !== "1";
if (missing) process.stderr.write("LEFT OUT: shellcheck, which is not installed.\n");

test.skipIf(missing)("passes shellcheck", () => {
  expect({ error, status, stdout }).toEqual({ error: undefined, status: 0, stdout: "" });
});
