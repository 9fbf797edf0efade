import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { keepCompiled } from "../../../../test/support/compile-cache.ts";
import { openView } from "../../src/view/open-view.ts";

/** A host of its own, to be killed: contains a process that runs away, and says when it runs. */
keepCompiled();
const [stateFolder, root, mark] = process.argv.slice(2) as [string, string, string];
const view = openView({
  writable: [root],
  readOnly: [`${root}/.git/config`],
  pinned: [],
  hidden: [`${root}/.env`],
  extra: [],
  network: "none",
});
const processes = createHostProcesses({
  workspace: createHostWorkspace({ root }),
  view: view.launch,
  stateFolder,
});
process.stdout.write("starting\n");
await processes.start(
  "1",
  { script: `setsid sh -c 'trap "" TERM HUP; sleep 987; : ${mark}' >/dev/null 2>&1 & echo` },
  { waitMs: 60_000 },
);
process.stdout.write("runs\n");
setInterval(() => {}, 1000);
