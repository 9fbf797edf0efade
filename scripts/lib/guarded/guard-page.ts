import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getClientVersion } from "../clients/client.ts";
import { root } from "../workspace.ts";
import { GUARDED_TOOLS, type GuardedClient } from "./guarded-client.ts";
import { guardedClients } from "./guarded-clients.ts";

const PAGE = join(root, "docs/reference/guard-clients.md");

const HEAD = `<!-- Recorded by "npm run clients:guard -- --record". -->

# The guard in real agents, recorded

This page records tests of [the guard](../guides/guard.md) in coding agents, for readers who want to know which calls it stops.

Each agent was installed from npm, and \`haft guard install\` changed its settings. A scripted model read and edited a file, ran a command, called an MCP tool, and started a subagent that ran a command. The network was a loopback device only. The agents' own prompts were off, so only the hook could stop a call. The disk and the answers to the model showed the results.

| case | guard |
| --- | --- |
| *none*, *empty* | not installed; a policy without rules. Files and answers to the model were the same |
| *allow*, *deny*, *ask* | rules about these calls, for a subagent about its command |
| *ask, at a terminal* | the agent's own prompt asked, and was answered |
| *missing*, *crash*, *slow*, *never* | the program of the guard was missing, crashed, answered too late, or ignored signals and never answered |
| *broken policy* | the policy became invalid after the installation |

*asked* means: denied with the id of an approval, ran after \`haft approvals answer\`, and needed approval again at the next call (except an edit, which cannot be repeated). *calls* counts the tool calls of the model, *starts* the starts of the line in the settings, and *decisions* the lines in the audit log. Modules (opencode, pi, OpenClaw) start the guard without that line.
`;

export function formatSection(client: GuardedClient, rows: readonly (readonly string[])[]): string {
  const names = ["case", ...GUARDED_TOOLS, "calls", "starts", "decisions"];
  const untried = GUARDED_TOOLS.flatMap((tool) => {
    const trial = client.tools[tool];
    return typeof trial === "string" ? [`${tool}, because ${trial}`] : [];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    `## ${formatTitle(client)}`,
    "",
    `Recorded on ${new Date().toISOString().slice(0, 10)}, with Node ${process.versions.node} on ${process.platform}.`,
    "",
    line(names),
    line(names.map(() => "---")),
    ...rows.map((cells) => line(cells)),
    ...(untried.length === 0 ? [] : ["", `Not tested: ${untried.join("; ")}.`]),
    ...Object.entries(client.skips ?? {}).flatMap(([name, why]) => ["", `*${name}* was not tried: ${why}.`]),
    ...(client.enables === undefined
      ? []
      : ["", `After the installation, a person ran \`${client.client.bin} ${client.enables.join(" ")}\`.`]),
    ...(client.hidesFailures
      ? ["", "If the guard fails, the agent shows its model its own text instead of the guard's."]
      : []),
    "",
  ].join("\n");
}

export function formatTitle(client: GuardedClient): string {
  return `${client.title} (${getClientVersion(client.client)})`;
}

/** Replaces these sections of the page. */
export function recordSections(sections: ReadonlyMap<GuardedClient, string>): void {
  const before = existsSync(PAGE) ? readFileSync(PAGE, "utf8") : "";
  const kept = new Map(
    before
      .split(/^(?=## )/m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf("\n")), `${section.trimEnd()}\n`]),
  );
  const all = guardedClients.map((client) => sections.get(client) ?? kept.get(`## ${formatTitle(client)}`));
  writeFileSync(PAGE, [HEAD, ...all.filter((section) => section !== undefined)].join("\n"));
}
