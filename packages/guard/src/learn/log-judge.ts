import { configFolder } from "@haft/config/internal/boundary";
import { resolveStateFolder } from "@haft/config/internal/home-folder";
import type { PolicyConfig } from "@haft/policy";
import { homedir } from "node:os";
import type { GuardAgent } from "../contract/agent.ts";
import { type DecideContext, decide } from "../decide/decide.ts";
import { type Judgement, guardTools, sessionFacts } from "../decide/judge.ts";
import type { GuardRules } from "../rules/guard-rules.ts";
import { noRules } from "../rules/no-rules.ts";
import { readGuardRules } from "../rules/read-rules.ts";
import { createValidatedPolicy } from "../rules/validated-policy.ts";
import type { LoggedCall } from "./logged-call.ts";

/** `config` replaces the operator's policy. */
export interface JudgeRules {
  policyFile: string | undefined;
  config?: PolicyConfig;
  isNew?: boolean;
}

const MAX = 500;

/** Decides like a hook now. It asks no person. */
export class LogJudge {
  readonly #by: JudgeRules;
  readonly #known = new Map<string, DecideContext["policy"]>();

  constructor(by: JudgeRules) {
    this.#by = by;
  }

  async judge({ agent, payload, root }: LoggedCall): Promise<Judgement | undefined> {
    const policy = await this.policy(agent, [...new Set([root, payload.cwd])]);
    const haftPaths = [
      configFolder(),
      resolveStateFolder().path,
      ...(this.#by.policyFile ? [this.#by.policyFile] : []),
    ];
    const protectedPaths = { home: homedir(), haftPaths, env: {} };
    return (await decide(agent, payload, { policy, protectedPaths, root, env: process.env })).judgement;
  }

  /** `undefined` if the rules are broken. */
  async openSession({ agent, payload, root }: LoggedCall) {
    const policy = await this.policy(agent, [...new Set([root, payload.cwd])]);
    return "broken" in policy ? undefined : policy.forSession(sessionFacts(payload));
  }

  private async policy(agent: GuardAgent, folders: readonly string[]): Promise<DecideContext["policy"]> {
    const key = JSON.stringify([agent.id, folders]);
    let known = this.#known.get(key);
    if (known === undefined) {
      if (this.#known.size >= MAX) this.#known.clear();
      this.#known.set(key, (known = await this.#read(agent, folders)));
    }
    return known;
  }

  async #read(agent: GuardAgent, folders: readonly string[]): Promise<DecideContext["policy"]> {
    const { policyFile, config, isNew = false } = this.#by;
    const wanted = { policyFile: isNew ? undefined : policyFile, folders };
    const found = await readGuardRules(wanted, guardTools(agent), { notes: false });
    if (found.broken !== undefined) return { broken: found.broken };
    const { policy, ...others } = found;
    const rules: GuardRules =
      config === undefined
        ? isNew
          ? others
          : found
        : { ...others, policy: { source: "the policy", lines: {}, files: {}, ...policy, config } };
    const hasNone = (rules.administrator ?? rules.policy) === undefined && rules.workspace.length === 0;
    return hasNone ? noRules : createValidatedPolicy(rules, agent);
  }
}
