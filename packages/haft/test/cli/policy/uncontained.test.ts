import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haftHere } from "../../support/haft.ts";

test("describes uncontained commands as running with all rights of the user, outside the boundary", async () => {
  const cwd = await temporaryFolder();
  const explained = await haftHere(["explain", "exec", "--no-config"], { cwd });
  expect(explained.stdout).toContain(
    "runs on the host as the user who started Haft, with all rights of that user; nothing contains it",
  );
  expect(explained.stdout).toContain("not contained: they run as you, with all your rights");
  expect(explained.stdout).not.toContain("boundary kernel");
  const tools = await haftHere(["tools", "--no-config"], { cwd });
  expect(tools.stdout).toContain("Commands are not contained: they run as you, with all your rights");
  const read = await haftHere(["explain", "read", "--no-config"], { cwd });
  expect(read.stdout).toMatch(/acts on the host \(boundary (kernel|best-effort)\)/);
});
