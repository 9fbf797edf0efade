import type { ApprovalAnswer, ApprovalDecision, ApprovalRequest, SessionKind, ToolOutcome } from "@haft/core";
import { createMemoryApprovals, Registry, SessionFactory } from "@haft/core/kernel";
import type { PolicyConfig } from "@haft/policy";
import { createPolicy } from "@haft/policy";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createExecPlugin } from "../../src/index.ts";
import { bench } from "./bench.ts";

type Answer = ApprovalDecision | ApprovalAnswer;
type Decide = (request: ApprovalRequest) => Answer;

const GOOD = "#!/bin/sh\necho good $#\n";
/** As long as the good one. */
export const EVIL = "#!/bin/sh\necho evil $#\n";

/** The command tools behind the real kernel and the real policy; programs in `bin`, which comes first on the PATH. */
export function site(
  exec: PolicyConfig["exec"],
  decide: Decide = () => "deny",
  more: Partial<PolicyConfig> = {},
  variables: Readonly<Record<string, string>> = {},
  whenOver?: Parameters<typeof bench>[2],
) {
  const environmentOf = (folder: string) => ({
    environment: {
      from: { PATH: `${join(folder, "bin")}:/usr/bin:/bin` },
      set: variables,
    },
  });
  const { root, workspace } = bench({}, environmentOf, whenOver);
  const at = (name: string): string => join(root, name);
  /** Makes the workspace what it was at first. */
  const fill = (): void => {
    for (const name of readdirSync(root)) rmSync(at(name), { recursive: true });
    for (const folder of ["bin", "sub", "aside"]) mkdirSync(at(folder));
    for (const name of ["bin/tool", "sub/tool"]) writeFileSync(at(name), GOOD, { mode: 0o755 });
    for (const name of ["other", "aside/tool"]) writeFileSync(at(name), EVIL, { mode: 0o755 });
    writeFileSync(at("run.sh"), "echo good\n");
  };
  fill();
  const plugin = createExecPlugin();
  const registry = new Registry({ plugins: [plugin], builtIn: [plugin.id] });
  const config: PolicyConfig = { ...(exec === undefined ? {} : { exec }), ...more };
  const requests: ApprovalRequest[] = [];
  const ask = async (request: ApprovalRequest): Promise<Answer> => {
    requests.push(request);
    return decide(request);
  };
  const approvals = createMemoryApprovals();
  let count = 0;
  let factory: SessionFactory | undefined;
  const open = async (sessionKey = "main", kind: SessionKind = "main") => {
    const policy = createPolicy(config, { tools: await registry.survey(console) });
    factory ??= new SessionFactory({ registry, policy, approver: { ask }, approvals });
    const session = await factory.open({ kind, sessionKey, workspace });
    return (name: string, args: object): Promise<ToolOutcome> =>
      session.call({ id: `call-${++count}`, name, arguments: args });
  };
  return { at, requests, open, workspace, fill };
}

export const ASK_ALL = { ask: "always" } as const;
export const always = (grant?: "exact" | "program"): Answer => ({
  decision: "allow-always",
  ...(grant === undefined ? {} : { grant }),
});
