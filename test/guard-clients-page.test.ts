import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeCode } from "../scripts/lib/clients/claude-code.ts";
import { getClientVersion } from "../scripts/lib/clients/client.ts";
import { GUARD_CASES } from "../scripts/lib/guarded/guard-case.ts";
import { formatTitle } from "../scripts/lib/guarded/guard-page.ts";
import { GUARDED_TOOLS } from "../scripts/lib/guarded/guarded-client.ts";
import { guardedClients } from "../scripts/lib/guarded/guarded-clients.ts";
import { root } from "../scripts/lib/workspace.ts";

const page = readFileSync(join(root, "docs/reference/guard-clients.md"), "utf8");

describe("the page of the guard in real agents", () => {
  it.each(guardedClients.map((client) => ({ name: client.name, client })))(
    "has all cases of $name, in the version that is tried",
    ({ client }) => {
      const section =
        page.split(/^(?=## )/m).find((each) => each.startsWith(`## ${formatTitle(client)}\n`)) ?? "";
      expect(section).toMatch(/^Recorded on 20\d\d-\d\d-\d\d, with Node \d+\.\d+\.\d+ on \w+\.$/m);
      for (const [name, { expected }] of Object.entries(GUARD_CASES)) {
        if (client.skips?.[name] !== undefined) continue;
        const cells = new RegExp(`^\\| ${name} \\|(.*)\\|$`, "m").exec(section)?.[1]?.split("|") ?? [];
        const words = { runs: "ran", denied: "denied", asked: "asked", blocked: "blocked" };
        const wanted = GUARDED_TOOLS.map((tool) =>
          typeof client.tools[tool] === "string" ? "–" : words[expected],
        );
        expect([name, ...cells.slice(0, wanted.length).map((cell) => cell.trim())]).toEqual([
          name,
          ...wanted,
        ]);
      }
      for (const answer of client.attended === undefined ? [] : ["yes", "no"])
        expect(section).toContain(`| ask, at a terminal: ${answer} |`);
    },
  );

  it("has its versions in the guide, and in the session that is recorded there", () => {
    const guide = readFileSync(join(root, "docs/guides/guard.md"), "utf8");
    for (const { client } of guardedClients)
      expect(guide).toMatch(
        new RegExp(`^\\| ${client.title} \\| ${getClientVersion(client)}`.replaceAll(".", "\\."), "m"),
      );
    expect(guide).toContain(`recorded with Claude Code ${getClientVersion(claudeCode)}`);
    expect(guide).toMatch(/<!-- session -->\n\n```text\n\$ cat/);
  });

  it("has no others", () => {
    expect([...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual(
      guardedClients.map((client) => formatTitle(client)),
    );
  });
});
