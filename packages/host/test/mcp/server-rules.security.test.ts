import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { hashSettings } from "../../src/mcp/operators-file.ts";
import { openHost } from "../support/open-host.ts";

const NAMES = ["readfile", "delete.repo"];

async function effectsUnder(policy: NonNullable<HostOptions["policy"]>): Promise<Record<string, string>> {
  const folder = await temporaryFolder();
  const settings = { command: "tickets-mcp" };
  const tools = NAMES.map((name) => ({ name, description: name, inputSchema: { type: "object" } }));
  const effects = Object.fromEntries(NAMES.map((name) => [name, ["read"]]));
  const accepted = { at: 1, settings: hashSettings(settings), era: "legacy", tools, effects };
  const file = join(folder, "haft.mcp.json");
  writeFileSync(file, JSON.stringify({ servers: { tickets: { settings, accepted } } }), { mode: 0o600 });
  const host = await openHost({ workspaceDir: folder, stateDir: false, mcp: { file }, policy });
  const mounted = host.catalogue.filter(({ pluginId }) => pluginId === "mcp-tickets");
  const session = host.policy.forSession({ kind: "main", agentId: "main", model: "", messageChannel: "" });
  return Object.fromEntries(mounted.map((tool) => [tool.mcp?.tool, session.call(tool, {}).effect]));
}

test.each([
  ["mcp(tickets/*)", "deny", "deny"],
  ["mcp(*/*)", "deny", "deny"],
  ["mcp", "deny", "deny"],
  ["mcp/*", "deny", "deny"],
  ["mcp(tickets/delete_*)", "allow", "deny"],
  ["mcp(tickets/delete.repo)", "allow", "deny"],
  ["mcp(github/*)", "allow", "allow"],
])("deny: %s", async (entry, readfile, deletes) => {
  expect(await effectsUnder({ deny: [entry] })).toEqual({ readfile, "delete.repo": deletes });
});

test("allow lists count as well", async () => {
  const effects = await effectsUnder({ allow: ["mcp(tickets/readfile)"] });
  expect(effects).toEqual({ readfile: "allow", "delete.repo": "deny" });
});
