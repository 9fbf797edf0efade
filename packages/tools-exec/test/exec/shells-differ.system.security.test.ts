import { analyzeCommand } from "@haft/commands";
import type { ToolContext } from "@haft/plugin-sdk";
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { pickShare } from "../../../../test/support/share.ts";
import type { ExecEndedDetails } from "../../src/exec/exec-result.ts";
import { createExecTool } from "../../src/index.ts";
import { type Bench, bench, getResultText } from "../support/bench.ts";
import { HIDDEN, HIDING_LINES, SAME, SHELL_LINES } from "../support/shell-lines.ts";

const SHELLS = ["sh", "bash"] as const;
const isDash = basename(realpathSync("/bin/sh")) === "dash";
const lacks = isDash ? (existsSync("/bin/bash") ? "" : "no bash") : "no dash for sh";
if (lacks !== "") {
  if (process.env["HAFT_REQUIRE_SERVICES"] === "1") throw new Error(`This must run here: there is ${lacks}.`);
  process.stderr.write(`There is ${lacks} here, so shells are not compared.\n`);
}

function check(result: { text: string; details: ExecEndedDetails }, expected: string | number): void {
  const { text, details } = result;
  if (typeof expected === "number") expect(details.exitCode).toBe(expected);
  else if (expected.startsWith("…")) expect(text).toContain(expected.slice(1));
  else expect(text).toBe(expected);
}

describe.runIf(lacks === "")("lines in sh and in bash", () => {
  // One for all lines: each starts a shell of its own, in a folder of its own.
  const benches = new Map<string, Bench>();
  beforeAll(() => {
    const ends: (() => Promise<void>)[] = [];
    for (const shell of SHELLS)
      benches.set(
        shell,
        bench({ shell }, { spareShell: false }, (end) => void ends.push(end)),
      );
    return async () => void (await Promise.all(ends.map((end) => end())));
  });
  let count = 0;

  test.each(pickShare(SHELL_LINES, 4).map((given) => ({ line: given[0], given })))(
    "$line",
    async ({ line, given }) => {
      const [, inSh, inBash, reading] = given;
      const workdir = `${++count}`;
      for (const shell of SHELLS) {
        const { exec, workspace, root } = benches.get(shell)!;
        mkdirSync(join(root, workdir));
        const result = await exec({ command: line, workdir });
        const details = result.details as ExecEndedDetails;
        const expected = shell === "bash" && inBash !== SAME ? inBash : inSh;
        const withoutNotice = (all: string): string =>
          all.replace(`[workdir "${workdir}": ran in ${root}/${workdir}]\n\n`, "");
        check({ text: withoutNotice(getResultText(result)), details }, expected);
        expect(details.shell).toBe(shell);

        const { unclear } = await analyzeCommand(line, { cwd: join(root, workdir), shell });
        const isClear = reading === "clear" || reading === `clear in ${shell}`;
        expect({ line, shell, isClear: unclear === undefined }).toEqual({ line, shell, isClear });
        if (!isClear) continue;
        // What is rebuilt of it does the same in that shell.
        const tool = createExecTool({ shell });
        const { signal } = new AbortController();
        const context = { workspace, sessionKey: "main" } as ToolContext;
        const plan = await tool.plan!({ command: line, workdir }, context, signal);
        const planned = { ...context, plan: plan?.data } as ToolContext;
        const rebuilt = await tool.execute("2", { command: line, workdir }, signal, undefined, planned);
        check(
          { text: withoutNotice(getResultText(rebuilt)), details: rebuilt.details as ExecEndedDetails },
          expected,
        );
      }
    },
  );
});

describe("lines that start other programs in bash", () => {
  test.each(HIDING_LINES)("are unclear: %s", async (line) => {
    for (const shell of SHELLS) {
      const { unclear, tied } = await analyzeCommand(line, { cwd: "/work", shell });
      expect({ shell, unclear }).toEqual({ shell, unclear: expect.any(String) as string });
      expect(tied).toBeUndefined();
    }
  });

  test.runIf(lacks === "")("really start other programs", async () => {
    const { exec, root } = bench();
    const ran: string[] = [];
    for (const line of HIDING_LINES) {
      await exec({ command: `rm -f ${HIDDEN}` });
      await exec({ command: `${line}\nwait` });
      if (existsSync(join(root, HIDDEN))) ran.push(line);
    }
    expect(ran.length).toBeGreaterThan(HIDING_LINES.length / 2);
  });
});
