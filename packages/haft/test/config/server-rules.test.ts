import { hashSettings } from "@haft/host/internal/mcp";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { listConfigurationProblems } from "../../src/cli/config/check.ts";
import { readToolValues } from "../../src/cli/plugin-arguments.ts";

async function configuration(grant: string): Promise<string> {
  const folder = await temporaryFolder();
  const settings = { command: "tickets-mcp" };
  const tools = [{ name: "search", description: "Searches.", inputSchema: { type: "object" } }];
  const accepted = { at: 1, settings: hashSettings(settings), era: "legacy", tools };
  const servers = { tickets: { accepted } };
  writeFileSync(join(folder, "haft.mcp.json"), JSON.stringify({ servers }), { mode: 0o600 });
  const file = join(folder, "haft.config.yaml");
  const policy = {
    deny: ["group:hinted-effects", "mcp-tickets(arg:x=1)"],
    sessions: { group: { grant: [grant] } },
  };
  writeFileSync(file, JSON.stringify({ mcp: { servers: { tickets: settings } }, policy }), { mode: 0o600 });
  return file;
}

test("haft config check knows the tools of MCP servers", async () => {
  const wrong = await listConfigurationProblems(await configuration("tickets_serch"), false);
  expect(wrong).toMatchObject([{ path: "sessions.group.grant[0]", nearest: ["tickets_search"] }]);
  expect(await listConfigurationProblems(await configuration("tickets_search"), false)).toEqual([]);
});

test("haft policy check and test get the MCP servers of the configuration", async () => {
  const config = await configuration("tickets_search");
  const { mcp } = await readToolValues({ config });
  expect(mcp).toMatchObject({ file: join(config, "../haft.mcp.json"), servers: { tickets: {} } });
});
