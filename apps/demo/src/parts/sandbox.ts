import { HaftError } from "@haft/core";
import { join } from "node:path";
import { createDemoHost } from "../demo-host.ts";
import { SECRET } from "../project-copy.ts";
import { runProjectTests } from "../project-tests.ts";
import type { Check } from "../report.ts";
import { visitSandbox, type SandboxVisit } from "../sandbox-visit.ts";
import type { Screen } from "../screen/screen.ts";
import type { Part, Stage } from "./part.ts";
import { repairInside } from "./repair-inside.ts";
import { watchSession } from "./watch-session.ts";

/** The same bug, the same tools, another place. */
export const sandboxPart: Part = {
  name: "sandbox",
  title: "Many senders, isolated: the same repair inside a sandbox (group session)",
  needs: [],
  async run(stage, screen) {
    const { copy, report } = stage;
    const settings = { workspaceDir: copy.isolated, sandbox: { workspaceAccess: "rw" } } as const;
    const host = await createDemoHost(copy, {}, settings);
    try {
      report.sandbox = await workInside(stage, screen, host);
    } catch (thrown) {
      if (!HaftError.is(thrown) || thrown.code !== "SANDBOX_UNAVAILABLE") throw thrown;
      report.sandbox = { missing: thrown.message };
      screen.prose(`${thrown.message} So this part is left out; nothing runs on the host instead.`);
      if (thrown.fix !== undefined) screen.prose(thrown.fix, 2, screen.paint.yellow);
    } finally {
      await host.close();
    }
  },
  async verify({ copy, report: { sandbox }, signal }) {
    if (sandbox === undefined || "missing" in sandbox) return [];
    const tests = await runProjectTests(copy.isolated, signal);
    return [
      {
        what: "the tests pass in the sandboxed copy",
        ok: tests.exitCode === 0 && tests.failed === 0 && tests.passed > 0,
        found: `${tests.passed} of ${tests.tests} passed, looked at from outside`,
      },
      ...verifyKept(sandbox),
    ];
  },
};

async function workInside(
  stage: Stage,
  screen: Screen,
  host: Awaited<ReturnType<typeof createDemoHost>>,
): Promise<SandboxVisit> {
  const watched = await watchSession(stage, "guest", screen, host);
  const { session } = watched;
  const backend = host.sandboxes()[0]?.backend ?? "none";
  screen.line(`  The sandbox: ${backend}, the second copy as /workspace, no network.`);
  await repairInside(stage, session, screen);
  screen.prose("(Now the demo tries to get out, in three plain ways.)");
  return visitSandbox(session, backend, join(stage.copy.neighbour, "salaries.csv"), SECRET);
}

function verifyKept({ file, network, host }: SandboxVisit): Check[] {
  const attempts = [
    ["the sandbox reads no file of the host", file],
    ["the sandbox reaches no network", network],
    ["the sandbox runs nothing on the host", host],
  ] as const;
  return attempts.map(([what, { possible, kept, answer }]) => ({
    what,
    ok: possible && kept,
    found: possible ? answer : "it was not there to be reached, so nothing is proven",
  }));
}
