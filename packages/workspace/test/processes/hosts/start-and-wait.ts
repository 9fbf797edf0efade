import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { keepCompiled } from "../../../../../test/support/compile-cache.ts";

/** A host that starts scripts and then does nothing until it is killed: `node start-and-wait.ts OPTIONS SCRIPT…`. */
keepCompiled();
const [options = "{}", ...scripts] = process.argv.slice(2);
const { root, ...rest } = JSON.parse(options) as { root: string };
const processes = createHostProcesses({ workspace: createHostWorkspace({ root }), ...rest });
for (const [index, script] of scripts.entries()) {
  const { id } = await processes.start(`script-${index}`, { script });
  process.stdout.write(`${id}\n`);
}
process.stdout.write(`${JSON.stringify(processes.isolation)}\n`);
setInterval(() => {}, 1000);
