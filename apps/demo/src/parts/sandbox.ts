import { HaftError, textOf, type ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import type { Host } from "haft";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createDemoHost } from "../demo-host.ts";
import { isPassed, runProjectTests } from "../look/project-tests.ts";
import { openTrap, TRAP_ANSWER } from "../look/servers.ts";
import { SECRET } from "../project-copy.ts";
import type { Screen } from "../screen/screen.ts";
import { repairInside, watchSession } from "../session.ts";
import type { Part, SandboxVisit, Stage } from "../stage.ts";

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
    const attempts = [
      ["the sandbox reads no file of the host", sandbox.file],
      ["the sandbox reaches no network", sandbox.network],
      ["the sandbox runs nothing on the host", sandbox.host],
    ] as const;
    return [
      {
        what: "the tests pass in the sandboxed copy",
        ok: isPassed(tests),
        found: `${tests.passed} of ${tests.tests} passed, looked at from outside`,
      },
      ...attempts.map(([what, { possible, kept, answer }]) => ({
        what,
        ok: possible && kept,
        found: possible ? answer : "it was not there to be reached, so nothing is proven",
      })),
    ];
  },
};

async function workInside(stage: Stage, screen: Screen, host: Host): Promise<SandboxVisit> {
  const { session } = await watchSession(stage, "guest", screen, host);
  const backend = host.sandboxes()[0]?.backend ?? "none";
  screen.line(`  The sandbox: ${backend}, the second copy as /workspace, no network.`);
  await repairInside(stage, session, screen);
  screen.prose("(Now the demo tries to get out, in three plain ways.)");
  return { backend, ...(await tryToLeave(session, join(stage.copy.neighbour, "salaries.csv"))) };
}

/** Tries to get out of the sandbox of a session, in three plain ways, and watches from outside. */
async function tryToLeave(session: Session, file: string): Promise<Omit<SandboxVisit, "backend">> {
  const run = (args: Record<string, unknown>) => session.call({ name: "exec", arguments: args });
  await using trap = await openTrap();
  const read = await run({ command: `cat '${file}'` });
  const fetched = await run({ command: trap.command });
  const visitors = trap.visitors();
  const outside = await run({ command: "true", host: "gateway" });
  const succeeded = read.kind === "ok" && read.details["exitCode"] === 0;
  return {
    file: {
      possible: (await readFile(file, "utf8")).includes(SECRET),
      kept: !succeeded && !textOf(read.content).includes(SECRET),
      answer: lastLine(read),
    },
    network: {
      possible: await trap.isReachable(),
      kept: visitors === 0 && !textOf(fetched.content).includes(TRAP_ANSWER),
      answer: lastLine(fetched),
    },
    host: {
      possible: true,
      kept: outside.kind !== "ok" && outside.receipt === "none",
      answer: "code" in outside ? outside.code : outside.kind,
    },
  };
}

/** Without what the tool adds. */
function lastLine({ content, kind }: ToolOutcome): string {
  const lines = textOf(content).split("\n");
  return lines.findLast((line) => line.trim() !== "" && !/^[([]/.test(line)) ?? kind;
}
