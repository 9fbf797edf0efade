import { once } from "node:events";
import { keepCompiled } from "../../../../../test/support/compile-cache.ts";
import { openGitBroker } from "../../../src/view/git/open-git-broker.ts";

/** A host of its own, to be killed: holds copies of the settings of a project, and takes back what it is told to, again and again. */
keepCompiled();
const [root, folder] = process.argv.slice(2) as [string, string];
const broker = await openGitBroker({ roots: [root], folder, backupFolder: `${folder}-kept` });
process.stdout.write(`${broker.mounts.extra[0]!.from}\n`);
await once(process.stdin, "data");
for (;;) await broker.after(false);
