// Tries the guard in real coding agents, offline: `haft guard install` writes into their settings, their scripted model runs a
// command and writes a file, and both have to be held back when a rule denies it, and when the guard is missing, crashes or never
// ends. They are installed as for `npm run clients`, and run in namespaces with nothing but a loopback device.
//
// npm run clients:guard -- [NAME …]
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { check, expectNone, finish, need } from "./lib/checks.ts";
import { versionOf } from "./lib/clients/client.ts";
import { clients } from "./lib/clients/clients.ts";
import { folderOf, installClient } from "./lib/clients/install-client.ts";
import { GUARD_CASES, type GuardCase, guardedClients, playGuard } from "./lib/clients/play-guard.ts";

const { values, positionals } = parseArgs({
  options: { offline: { type: "boolean", default: false } },
  allowPositionals: true,
});
const names = Object.keys(guardedClients);
await need(`each name is one of ${names.join(", ")}`, () => {
  expectNone(positionals.filter((name) => !names.includes(name)));
});
const chosen = clients.filter(
  ({ name }) => names.includes(name) && (positionals.length === 0 || positionals.includes(name)),
);

if (values.offline) {
  spawnSync("ip", ["link", "set", "lo", "up"], { stdio: "inherit" });
  for (const client of chosen)
    for (const what of Object.keys(GUARD_CASES) as GuardCase[])
      await check(`${client.title} ${versionOf(client)}: ${what}`, async () => {
        expectNone(await playGuard(client, what, folderOf(client)));
      });
  await finish();
}

for (const client of chosen) await need(`${client.packages[0]} is installed`, () => installClient(client));
const asRoot = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
const alone = [...asRoot, "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
const again = [...process.execArgv, ...process.argv.slice(1), "--offline"];
const { status, error } = spawnSync("unshare", [...alone, process.execPath, ...again], { stdio: "inherit" });
if (error !== undefined) console.error(`It needs unshare, of util-linux: ${error.message}`);
process.exitCode = status ?? 1;
