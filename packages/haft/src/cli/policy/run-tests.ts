import { readYamlFile } from "@haft/config/internal/document";
import { summarizeCall } from "@haft/core";
import { createMemoryApprovals } from "@haft/core/kernel";
import { type HostOptions, type HostSessionOptions, createHost, type Host } from "@haft/host";
import {
  runPolicyTest,
  parsePolicyTests,
  formatTable,
  type PolicyExpectation,
  type PolicyTestResult,
} from "@haft/policy";
import { withoutUndefined, escapeInvisible } from "@haft/utils";
import { styleText } from "node:util";
import { commandError } from "../../errors.ts";
import { readPolicyValues, readWorkspaceValue, type SessionValues } from "../session-arguments.ts";

type Options = Pick<SessionValues, "policy" | "admin-policy" | "workspace"> &
  Pick<HostOptions, "plugins" | "mcp"> & { json?: boolean };

export async function runPolicyTests(files: readonly string[], options: Options): Promise<number> {
  const suites = [];
  for (const file of files) suites.push({ file, expectations: await readExpectations(file) });
  const host = await createHost({
    ...(await readPolicyValues(options)),
    workspaceDir: readWorkspaceValue(options.workspace),
    plugins: options.plugins ?? [],
    ...(options.mcp && { mcp: options.mcp }),
    stateDir: false,
    // Ignores this machine's grants.
    approvals: createMemoryApprovals(),
  });
  try {
    const results: { file: string; result: PolicyTestResult }[] = [];
    for (const { file, expectations } of suites) {
      for (const expectation of expectations) results.push({ file, result: await ask(host, expectation) });
    }
    const failed = results.filter(({ result }) => !result.passed).length;
    if (options.json) console.log(JSON.stringify({ ok: failed === 0, results }));
    else print(results, failed);
    return failed === 0 ? 0 : 1;
  } finally {
    await host.close();
  }
}

async function readExpectations(file: string): Promise<PolicyExpectation[]> {
  const read = await readYamlFile(file);
  if (!("problems" in read)) return parsePolicyTests(read.value, file, read.positions);
  const [problem] = read.problems;
  const line = problem?.line === undefined ? "" : `:${problem.line}`;
  throw commandError("POLICY_UNREADABLE", `${file}${line}: ${problem?.message ?? "it cannot be read."}`, {
    fix: "Correct the file of expectations, or name another.",
  });
}

async function ask(host: Host, expectation: PolicyExpectation): Promise<PolicyTestResult> {
  const { tool, args, session = "main", agent, model, channel, group, sender } = expectation;
  const facts: HostSessionOptions = withoutUndefined({
    kind: session,
    sessionKey: "policy-test",
    agentId: agent,
    model: model === undefined ? undefined : { name: model },
    messageChannel: channel,
    groupId: group,
    sender,
  });
  const preview = await host.preview(facts);
  const { wanted } = await host.containment(facts);
  return runPolicyTest(expectation, await preview.explain(tool, args), wanted);
}

function print(results: readonly { file: string; result: PolicyTestResult }[], failed: number): void {
  const rows = results.map(({ file, result: { expectation, passed, effect, rule, source } }) => {
    const { session = "main", expect, line } = expectation;
    return [
      passed ? "✓" : "✗",
      line === undefined ? file : `${file}:${line}`,
      session,
      nameOf(expectation),
      effect === expect ? effect : `${effect}, expected ${expect}`,
      rule === undefined ? "" : escapeInvisible(`${rule} — ${source}`),
    ];
  });
  const [head, ...lines] = formatTable([["", "where", "session", "call", "decided", "by"], ...rows]);
  console.log(styleText("dim", head!));
  for (const [index, line] of lines.entries()) {
    const { passed, reason, expectation, containment } = results[index]!.result;
    console.log(passed ? line : styleText("red", line));
    if (passed) continue;
    console.log(`     ${escapeInvisible(reason)}`);
    if (expectation.containment !== containment)
      console.log(`     containment: ${containment}, expected ${expectation.containment}`);
    if (expectation.because !== undefined)
      console.log(`     expected because: ${escapeInvisible(expectation.because)}`);
  }
  console.log(
    `\n${results.length - failed} of ${results.length} as expected${failed > 0 ? `, ${failed} not` : ""}.`,
  );
}

const LONGEST = 60;

function nameOf({ name, tool, args }: PolicyExpectation): string {
  const text = escapeInvisible(name ?? (args ? summarizeCall(tool, args, { format: "plain" }) : tool));
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
