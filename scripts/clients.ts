// Tries real coding agents in fixed versions, offline. Each connects as `haft serve --print-config`
// describes, and its scripted model uses Haft's tools. Agents are installed from npm once, and run in
// namespaces with only a loopback device. It needs Linux and bubblewrap. --facts prints everything that the
// models received.
//
// npm run clients -- [NAME …] [--facts]
import { parseArgs } from "node:util";
import { check, expectNone, finish, need } from "./lib/checks.ts";
import { getClientVersion } from "./lib/clients/client.ts";
import { clients } from "./lib/clients/clients.ts";
import { getClientFolder, installClient } from "./lib/clients/install-client.ts";
import { playClient } from "./lib/clients/play-client.ts";
import { bringUpLoopback, playOffline } from "./lib/clients/play-offline.ts";

const { values, positionals } = parseArgs({
  options: { facts: { type: "boolean", default: false }, offline: { type: "boolean", default: false } },
  allowPositionals: true,
});
const names = clients.map(({ name }) => name);
await need(`each name is one of ${names.join(", ")}`, () => {
  expectNone(positionals.filter((name) => !names.includes(name)));
});
const chosen = clients.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

if (values.offline) {
  bringUpLoopback();
  for (const client of chosen) {
    await check(`${client.title} ${getClientVersion(client)}`, async () => {
      const { problems, facts } = await playClient(client, getClientFolder(client));
      if (values.facts || problems.length > 0) console.log(JSON.stringify(facts, null, 2));
      else
        console.log(`        ${facts["seconds"]} s; beside Haft's tools it has ${facts["own tools left"]}`);
      expectNone(problems);
    });
  }
  await finish();
}

for (const client of chosen) await need(`${client.packages[0]} is installed`, () => installClient(client));
playOffline();
