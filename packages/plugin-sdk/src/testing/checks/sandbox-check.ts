import { HaftError, getErrorMessage, type Plugin, contentToText } from "@haft/core";
import type { NetworkAnswers } from "../fakes/fake-network.ts";
import { findPackage } from "../session/require-package.ts";
import { createTestSession, type TestSession } from "../session/test-session.ts";
import { formatArguments } from "./call-checks.ts";
import { SAMPLE_FILES, SAMPLE_LINKS } from "./check-site.ts";
import { type CheckResult, createOkResult } from "./report.ts";

/** Calls that succeed in memory must succeed in a real sandbox. */
export async function checkSandbox(
  plugin: Plugin,
  samples: Readonly<Record<string, readonly unknown[]>>,
  network: NetworkAnswers = {},
): Promise<CheckResult[]> {
  if ((await findPackage("@haft/sandbox")) === undefined || (await findPackage("@haft/policy")) === undefined)
    return [
      skipped(
        "@haft/sandbox and @haft/policy are not both installed.",
        "npm install --save-dev @haft/sandbox @haft/policy",
      ),
    ];
  let session: TestSession | undefined;
  /** A default answer was used. */
  let isPretended = false;
  try {
    session = await createTestSession(plugin, {
      kind: "sandboxed",
      files: SAMPLE_FILES,
      links: SAMPLE_LINKS,
      network: {
        ...network,
        ...(network["*"] === undefined && {
          "*": () => {
            isPretended = true;
            return Response.json({ ok: true });
          },
        }),
      },
      kernel: { loopGuard: false, deadlineMs: 10_000 },
    });
    const failed: CheckResult[] = [];
    let calls = 0;
    const offered = new Set(session.tools.map(({ name }) => name));
    for (const [name, all] of Object.entries(samples)) {
      // Its factory may make no tool for such sessions.
      if (!offered.has(name)) continue;
      for (const args of all.slice(0, 1)) {
        calls++;
        isPretended = false;
        const outcome = await session.call(name, args);
        // The answer in memory was different, so this failure proves nothing.
        if (outcome.kind === "ok" || (outcome.kind === "error" && isPretended)) continue;
        failed.push({
          check: "sandbox",
          status: "problem",
          where: `${name}(${formatArguments(args)})`,
          message: `succeeded in a temporary folder and failed in a sandbox: ${contentToText(outcome.content).split("\n")[0]}`,
          fix: "Use files and programs only through context.workspace, with the paths that it returns.",
        });
      }
    }
    if (failed.length > 0) return failed;
    return createOkResult(
      "sandbox",
      `${calls === 1 ? "One call" : `${calls} calls`} succeeded in a sandbox.`,
    );
  } catch (thrown) {
    if (HaftError.is(thrown) && thrown.code === "SANDBOX_UNAVAILABLE")
      return [skipped(thrown.message, thrown.fix!)];
    return [
      {
        check: "sandbox",
        status: "problem",
        message: `No sandboxed session could be opened: ${getErrorMessage(thrown)}`,
      },
    ];
  } finally {
    await session?.close();
  }
}

function skipped(message: string, fix: string): CheckResult {
  return { check: "sandbox", status: "skipped", message: `Not tried: ${message}`, fix };
}
