// Plays the guide to nodes (docs/guides/nodes.md) from nothing, and records it: docs/reference/nodes-session.md.
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NATS_SERVER } from "../packages/store/test/nats/support/nats-server.ts";
import { haftCommand } from "../test/support/build-under-test.ts";
import { playGuide } from "./lib/nodes-guide.ts";
import { root } from "./lib/workspace.ts";

if (NATS_SERVER === undefined) throw new Error("It needs nats-server (Debian: apt-get install nats-server).");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-nodes-guide-")));
try {
  const guide = readFileSync(join(root, "docs/guides/nodes.md"), "utf8");
  const { transcript, problems } = await playGuide(guide, {
    folder,
    haft: haftCommand,
    natsServer: NATS_SERVER,
  });
  const page = `<!-- Recorded by "npm run record:nodes" from docs/guides/nodes.md. -->

# Two machines and a node, recorded

What [the guide to nodes](../guides/nodes.md) says to type, typed on two machines, and what came of it. Ids and home folders are
replaced.

\`\`\`text
${transcript.trimEnd()}
\`\`\`
`;
  if (problems.length === 0) writeFileSync(join(root, "docs/reference/nodes-session.md"), page);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
