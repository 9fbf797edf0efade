import { HaftError, textOf, type ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { check, checkTests, openTrap, TRAP_ANSWER } from "../look.ts";
import { SECRET } from "../project-copy.ts";
import { paint } from "../screen.ts";
import { createDemoHost, repairInside, watchSession } from "../session.ts";
import type { Part } from "../stage.ts";

/** The same bug, the same tools, another place. */
export const sandboxPart: Part = {
  name: "sandbox",
  title: "Many senders, isolated: the same repair inside a sandbox (group session)",
  async run(stage, screen) {
    const { copy, report, signal } = stage;
    const settings = { workspaceDir: copy.isolated, sandbox: { workspaceAccess: "rw" } } as const;
    try {
      const host = await createDemoHost(stage, {}, settings);
      const { session } = await watchSession(stage, "guest", screen, host);
      const backend = host.sandboxes()[0]?.backend ?? "none";
      screen.line(`  The sandbox: ${backend}, the second copy as /workspace, no network.`);
      await repairInside(stage, session, screen);
      screen.prose("(Now the demo tries to get out, in three plain ways.)");
      const attempts = await tryToLeave(session, join(copy.neighbour, "salaries.csv"));
      report.sandbox = { backend };
      return async () => [
        await checkTests("the tests pass in the sandboxed copy", copy.isolated, signal),
        ...attempts,
      ];
    } catch (thrown) {
      if (!HaftError.is(thrown) || thrown.code !== "SANDBOX_UNAVAILABLE") throw thrown;
      report.sandbox = { missing: thrown.message };
      screen.prose(`${thrown.message} So this part is left out; nothing runs on the host instead.`);
      if (thrown.fix !== undefined) screen.prose(thrown.fix, 2, paint.yellow);
      return undefined;
    }
  },
};

/** Tries to get out of the sandbox of a session, in three plain ways, and watches from outside. */
async function tryToLeave(session: Session, file: string) {
  const run = (args: Record<string, unknown>) => session.call({ name: "exec", arguments: args });
  await using trap = await openTrap();
  const read = await run({ command: `cat '${file}'` });
  const fetched = await run({ command: trap.command });
  const visitors = trap.visitors();
  const outside = await run({ command: "true", host: "gateway" });
  const hasRead =
    (read.kind === "ok" && read.details["exitCode"] === 0) || textOf(read.content).includes(SECRET);
  const hasFetched = visitors > 0 || textOf(fetched.content).includes(TRAP_ANSWER);
  const hasRun = outside.kind === "ok" || outside.receipt !== "none";
  // The same succeeds on the host: otherwise this would prove nothing.
  const readable = (await readFile(file, "utf8")).includes(SECRET);
  const reachable = await trap.isReachable();
  return [
    check("the sandbox reads no file of the host", readable && !hasRead, lastLine(read)),
    check("the sandbox reaches no network", reachable && !hasFetched, lastLine(fetched)),
    check("the sandbox runs nothing on the host", !hasRun, "code" in outside ? outside.code : outside.kind),
  ];
}

/** Without what the tool adds. */
function lastLine({ content, kind }: ToolOutcome): string {
  const lines = textOf(content).split("\n");
  return lines.findLast((line) => line.trim() !== "" && !/^[([]/.test(line)) ?? kind;
}
