import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createConfiguredWorkspace } from "../../../../../test/support/configured-workspace.ts";
import { createMcpServer } from "../../../../host/test/support/mcp-server.ts";
import { haftHere } from "../../support/haft.ts";

test("prints 1 tool in the singular", async () => {
  const { above, cwd, env } = await createConfiguredWorkspace({});
  const file = join(above, "xdg/haft/haft.mcp.json");
  const { words } = createMcpServer(cwd);
  const added = await haftHere(["mcp", "add", "prog", "--outside", "--", ...words], { cwd, env });
  expect(added.code).toBe(0);
  const stored = JSON.parse(readFileSync(file, "utf8")) as {
    servers: { prog: { accepted: { tools: unknown[] } } };
  };
  stored.servers.prog.accepted.tools.splice(1);
  writeFileSync(file, JSON.stringify(stored));
  expect((await haftHere(["mcp", "list"], { cwd, env })).stdout).toMatch(/prog +1 tool +/);
});
