import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getClientVersion } from "../clients/client.ts";
import { root } from "../workspace.ts";
import { GUARDED_TOOLS, type GuardedClient } from "./guarded-client.ts";
import { guardedClients } from "./guarded-clients.ts";

const PAGE = join(root, "docs/reference/guard-clients.md");

const HEAD = `<!-- Recorded by "npm run clients:guard -- --record". -->

# The guard in real agents, recorded

Each agent was installed from npm, and \`haft guard install\` wrote into its settings. A model that is a script had it read and edit a file, run a command, call a tool of an MCP server and start a subagent that runs a command, in namespaces with nothing but a loopback device. The agents were told to ask nobody, so nothing but the hook held a call. What ran was seen on the disk, and in what the model was told; *calls* are those that the model made, *starts* those of the line in the settings (a module starts none, nor does a hook that calls a server), *decisions* the lines in the audit log; those of a module or a server came from one process, but for questions in opencode, for which its module starts one.

*none* is without the guard, and *empty* with a policy without rules: the files and what the model was told were the same. *deny* and *ask* are rules about all of it; of the subagent about its command. Under *ask* each call was denied with the id of an approval, ran after \`haft approvals answer\`, and was asked about when it was made once more; *at a terminal* the agent's own prompt asked, and was answered there. *missing*, *crash*, *slow* (it answers after its time) and *never* (it does not, and ignores signals) are what stood in the place of the guard's program; *broken policy* became so after it was installed.
`;

/** What is written of one client. */
export function formatSection(client: GuardedClient, rows: readonly (readonly string[])[]): string {
  const names = ["case", ...GUARDED_TOOLS, "calls", "starts", "decisions"];
  const untried = GUARDED_TOOLS.flatMap((tool) => {
    const trial = client.tools[tool];
    return typeof trial === "string" ? [`no ${tool}: ${trial}`] : [];
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
    ...(untried.length === 0 ? [] : ["", `There is ${untried.join("; ")}.`]),
    ...Object.entries(client.skips ?? {}).flatMap(([name, why]) => ["", `*${name}* was not tried: ${why}.`]),
    ...(client.enables === undefined
      ? []
      : ["", `After it was installed, a person typed \`${client.client.bin} ${client.enables.join(" ")}\`.`]),
    ...(client.hidesFailures
      ? [
          "",
          "Of a guard that failed it tells its model in words of its own, and not what the guard's line says.",
        ]
      : []),
    "",
  ].join("\n");
}

/** As its section is headed. */
export function formatTitle(client: GuardedClient): string {
  return `${client.title} (${getClientVersion(client.client)})`;
}

/** Puts sections into the page in the place of those that were there; the others stay. */
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
