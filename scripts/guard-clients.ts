// Tries the guard in real coding agents, offline. `haft guard install` changes their settings, and their
// scripted model reads, edits, runs a command, calls a server's tool and starts a subagent. The case decides
// whether each call must be allowed, blocked or need approval. Agents are installed as for `npm run clients`,
// and run in namespaces with only a loopback device. --short tries one allowed and one denied command;
// --record writes results into docs/reference/guard-clients.md.
//
// npm run clients:guard -- [NAME …] [--case NAME …] [--short] [--record]
import { parseArgs } from "node:util";
import { check, expectNone, finish, need } from "./lib/checks.ts";
import { getClientFolder, installClient } from "./lib/clients/install-client.ts";
import { bringUpLoopback, playOffline } from "./lib/clients/play-offline.ts";
import { checkGuarded, differences, formatRow, formatAnswerRow } from "./lib/guarded/check-guarded.ts";
import { type CaseName, GUARD_CASES } from "./lib/guarded/guard-case.ts";
import { recordSections, formatSection, formatTitle } from "./lib/guarded/guard-page.ts";
import type { GuardedClient } from "./lib/guarded/guarded-client.ts";
import { guardedClients } from "./lib/guarded/guarded-clients.ts";
import { playAttended } from "./lib/guarded/play-attended.ts";
import { type GuardPlay, playGuard } from "./lib/guarded/play-guard.ts";
import { playNamedFiles } from "./lib/guarded/play-named-files.ts";

const { values, positionals } = parseArgs({
  options: {
    case: { type: "string", multiple: true, default: [] },
    short: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
    offline: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const names = guardedClients.map(({ name }) => name);
const allCases = Object.keys(GUARD_CASES) as CaseName[];
await need(`each name is one of ${names.join(", ")}, and each case of ${allCases.join(", ")}`, () => {
  const cases: readonly string[] = allCases;
  expectNone(positionals.filter((name) => !names.includes(name)));
  expectNone(values.case.filter((name) => !cases.includes(name)));
});
await need("a record is of all cases", () =>
  expectNone(values.record && (values.short || values.case.length > 0) ? ["--record goes alone"] : []),
);
const chosen = guardedClients.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const cases = allCases.filter((name) =>
  values.short ? name === "allow" || name === "deny" : values.case.length === 0 || values.case.includes(name),
);

if (values.offline) {
  bringUpLoopback();
  const sections = new Map<GuardedClient, string>();
  for (const client of chosen) {
    const rows = await tryAll(client);
    if (rows !== undefined) sections.set(client, formatSection(client, rows));
  }
  for (const client of chosen.filter(({ name }) => name === "claude" && !values.short))
    for (const native of [false, true])
      await check(
        `${formatTitle(client)}: named with @, ${native ? "--native" : "no --native"}`,
        async () => {
          expectNone(await playNamedFiles(client.client, native, getClientFolder(client.client)));
        },
      );
  if (values.record) recordSections(sections);
  await finish();
}

/** `undefined` if a result is unexpected. */
async function tryAll(client: GuardedClient): Promise<string[][] | undefined> {
  const rows: string[][] = [];
  const only = values.short ? (["shell"] as const) : undefined;
  const own = cases.filter((name) => client.skips?.[name] === undefined);
  let without: GuardPlay | undefined;
  for (const name of own)
    await check(`${formatTitle(client)}: ${name}`, async () => {
      const settings = { installed: getClientFolder(client.client), ...(only && { only }) };
      const play = await playGuard(client, GUARD_CASES[name], settings);
      const checked = checkGuarded(client, GUARD_CASES[name], { play, ...(only && { only }) });
      if (name === "none") without = play;
      if (name === "empty" && without !== undefined) checked.problems.push(...differences(without, play));
      expectNone(checked.problems);
      rows.push(formatRow(name, checked, play));
    });
  const isAll = cases.length === allCases.length;
  const answers = isAll && client.attended !== undefined ? (["yes", "no"] as const) : [];
  for (const answer of answers)
    await check(`${formatTitle(client)}: at a terminal, ${answer}`, async () => {
      expectNone(await playAttended(client, answer, { installed: getClientFolder(client.client) }));
      rows.push(formatAnswerRow(answer));
    });
  return rows.length === own.length + answers.length ? rows : undefined;
}

for (const { client } of chosen)
  await need(`${client.packages[0]} is installed`, () => installClient(client));
playOffline();
