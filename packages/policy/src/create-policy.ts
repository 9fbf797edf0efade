import type { Decision, Policy, SessionFacts, SessionPolicy, ToolFacts, TraceStep } from "@haft/core";
import { HaftError } from "@haft/core";
import { type Catalogue, createCatalogue } from "./catalogue.ts";
import { decidingStep, evaluate, type Layers } from "./evaluate.ts";
import { explainTool, type Explanation } from "./explain.ts";
import { findFix, type FixContext } from "./fix.ts";
import { type PolicyConfig, readPolicyConfig } from "./policy-config.ts";
import { policyInvalid, type PolicyProblem } from "./problems.ts";
import type { Finding } from "./rules.ts";
import { compileScopes, scopesOf } from "./scopes.ts";
import { hasRow, sessionTable } from "./session-table.ts";
import { shortHash } from "./short-hash.ts";

export interface PolicyOptions {
  /** Every tool the host knows. Selectors are checked against it. */
  tools: readonly ToolFacts[];
  /** Name of the policy file, for messages. Default `the policy`. */
  source?: string;
}

/** A policy that can be asked why. */
export interface ExplainingPolicy extends Policy {
  /** Changes with the configuration and with the session table. */
  readonly version: string;
  readonly source: string;
  readonly config: PolicyConfig;
  /** The tools it was made for. */
  readonly catalogue: readonly ToolFacts[];
  /**
   * Says what the evaluator decides for a tool, and everything it looked at.
   *
   * @param tool a tool, its short name or `plugin/name`; an unknown name is answered with the nearest
   */
  explain(facts: SessionFacts, tool: ToolFacts | string, args?: unknown): Explanation;
}

/**
 * Makes the policy of a host. Pure: reads no files, keeps nothing but a cache of its answers.
 *
 * @throws HaftError `POLICY_INVALID` when anything in `config` is malformed, unknown, contradictory
 * or matches no tool, with all problems in `details.problems`;
 * `POLICY_TABLE_INCOMPLETE` when a tool says it is built in but the session table does not know it
 */
export function createPolicy(config: PolicyConfig, options: PolicyOptions): ExplainingPolicy {
  const { source = "the policy" } = options;
  const catalogue = createCatalogue([...options.tools]);
  checkBuiltIns(catalogue);
  const problems: PolicyProblem[] = [];
  const checked = readPolicyConfig(config, problems);
  const scopes = compileScopes(checked, source, catalogue, problems);
  if (problems.length > 0) throw policyInvalid(source, problems);

  const version = shortHash(JSON.stringify([sessionTable.version, checked]));
  const sessions = new Map<string, SessionPolicy>();

  function forSession({ kind, agentId }: SessionFacts): SessionPolicy {
    // Sessions that no rule tells apart share one compiled policy and its answers.
    const agent = scopes.agents.has(agentId) ? agentId : undefined;
    const key = agent === undefined ? kind : `${kind} ${agent}`;
    let session = sessions.get(key);
    if (!session) {
      const facts = { kind, agentId: agent ?? "" };
      const layers = { kind, scopes: scopesOf(scopes, facts) };
      session = compileSession(layers, version, { config: checked, source, catalogue, facts });
      sessions.set(key, session);
    }
    return session;
  }

  return {
    version,
    source,
    config: checked,
    catalogue: catalogue.tools,
    forSession,
    explain: (facts, tool, args) => explainTool(forSession(facts), catalogue, facts, tool, args),
  };
}

function checkBuiltIns({ tools }: Catalogue): void {
  const missing = tools.filter(({ builtIn, name }) => builtIn && !hasRow(name));
  if (missing.length === 0) return;
  const names = missing.map(({ id }) => id);
  throw new HaftError(
    "POLICY_TABLE_INCOMPLETE",
    `The session table has no row for built-in ${names.join(", ")}.`,
    {
      category: "internal",
      fix: "Add a row to the session table, or register the plugin as not built in.",
      details: { tools: names },
    },
  );
}

interface Answers {
  visibility: Decision;
  call: Decision;
}

function compileSession(layers: Layers, version: string, context: FixContext): SessionPolicy {
  const answers = new WeakMap<ToolFacts, Answers>();
  const answer = (tool: ToolFacts): Answers => {
    let known = answers.get(tool);
    if (!known) answers.set(tool, (known = makeAnswers(layers, tool, version, context)));
    return known;
  };
  return {
    visibility: (tool) => answer(tool).visibility,
    call: (tool) => answer(tool).call,
  };
}

function makeAnswers(layers: Layers, tool: ToolFacts, version: string, context: FixContext): Answers {
  const { verdict, rule, source, because } = decidingStep(evaluate(layers, tool));
  const id = shortHash([version, tool.id, layers.kind, verdict, rule, source].join("\n"));
  const decision = (effect: Decision["effect"], reason: string): Decision => {
    const made: Decision = {
      effect,
      id,
      reason,
      get trace() {
        return evaluate(layers, tool).map(toTraceStep);
      },
    };
    // Worked out when somebody looks, and left out where there is nothing to fix.
    return effect === "allow" ? made : withFix(made, () => findFix(tool, layers, context)?.text);
  };
  const call = decision(verdict, `${tool.name} ${because}.`);
  const visibility = verdict === "ask" ? decision("allow", `${tool.name} is visible; it ${because}.`) : call;
  return { visibility, call };
}

function toTraceStep({ layer, rule, source, verdict }: Finding): TraceStep {
  return { layer, rule, source, verdict };
}

function withFix(decision: Decision, find: () => string | undefined): Decision {
  let known: { fix: string | undefined } | undefined;
  return Object.defineProperty(decision, "fix", {
    enumerable: true,
    get: () => (known ??= { fix: find() }).fix,
  });
}
