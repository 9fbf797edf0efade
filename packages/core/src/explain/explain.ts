import { withoutUndefined, nearestNames } from "@haft/utils";
import { findCoveringGrants, describeSubject } from "../approvals/grants.ts";
import { findObstacle } from "../approvals/obstacle.ts";
import { createPreview } from "../approvals/preview.ts";
import { peekStoredAnswer } from "../approvals/stored-answers.ts";
import type { ApprovalSubject } from "../approvals/subject.ts";
import { HaftError } from "../contract/errors.ts";
import type { CallPlan, Refusal } from "../contract/plan.ts";
import type { Decision, SessionPolicy, ToolFacts } from "../contract/policy-port.ts";
import { messageWithCauses } from "../format/causes.ts";
import { summarizeCall } from "../format/summary.ts";
import type { SessionRules } from "../kernel/active-policy.ts";
import type { ExplainOptions } from "../kernel/call-options.ts";
import type { SessionState } from "../kernel/session-state.ts";
import type { Resolution, VisibleTool } from "../kernel/session-view.ts";
import { requireConsent } from "../kernel/stages/ask-policy.ts";
import { findRepetition, callIdentityFor } from "../kernel/stages/check-repetition.ts";
import { dependsOnPlan, computePlan, refusalFrom } from "../kernel/stages/make-plan.ts";
import { findMisplacement } from "../kernel/stages/resolve-name.ts";
import { preparedIdentity } from "../parameters/duplicates.ts";
import { validateArguments } from "../parameters/validate-arguments.ts";
import {
  type CallExplanation,
  describeContainment,
  plainDecision,
  type Stage,
  Trace,
} from "./call-explanation.ts";

export function explainCall(
  session: SessionState,
  asked: string,
  rawArgs?: unknown,
  options: ExplainOptions = {},
): Promise<CallExplanation> {
  return new Explanation(session, asked, options).of(rawArgs);
}

type Verdict = CallExplanation["verdict"];
type Reason = { reason: string; fix?: string | undefined };
type Visible = Extract<Resolution, { found: "visible" }>;

class Explanation {
  readonly #session: SessionState;
  readonly #rules: SessionRules;
  readonly #sender: ExplainOptions["sender"];
  readonly #policy: SessionPolicy;
  readonly #trace = new Trace();
  readonly #known: Omit<CallExplanation, "verdict" | "reason" | "fix" | "trace">;
  #obstacle: PlanObstacle | undefined;

  constructor(session: SessionState, asked: string, { sender }: ExplainOptions) {
    const { key, facts, rules } = session;
    this.#session = session;
    this.#rules = rules;
    this.#sender = sender;
    this.#policy = sender === undefined ? rules.policy : rules.basePolicy.forSession({ ...facts, sender });
    this.#known = {
      session: { key, kind: facts.kind, agentId: facts.agentId },
      asked,
      found: "visible",
    };
  }

  async of(rawArgs: unknown): Promise<CallExplanation> {
    const { view, policy } = this.#rules;
    const { asked } = this.#known;
    const resolution = view.resolve(asked);
    this.#known.found = resolution.found;
    if (resolution.found === "unknown") {
      return this.#ofNothing(resolution.several);
    }
    if (resolution.found === "broken" || resolution.found === "absent") {
      return this.#refused(resolution.found, "name", reasonOf(resolution.why), "plugins");
    }
    const { facts, hasShortName } = resolution.tool;
    this.#known.toolName = hasShortName ? facts.name : facts.id;
    const visibility = policy.visibility(facts);
    this.#known.visibility = plainDecision(visibility);
    if (resolution.found === "hidden") {
      for (const step of visibility.trace) this.#trace.add("visibility", step);
      await this.#predict(resolution.tool, rawArgs);
      return this.#refused("hidden", "visibility", this.#withRefusal(visibility), "policy");
    }
    return this.#ofVisible(resolution, rawArgs);
  }

  #ofNothing(several: readonly string[]): CallExplanation {
    const { view } = this.#rules;
    const { asked } = this.#known;
    if (several.length > 0) {
      this.#known.nearest = [...several];
      const reason = `"${asked}" may mean several tools: ${several.join(", ")}.`;
      return this.#refused("unknown", "name", { reason, fix: "Use the name of one of them." }, "plugins");
    }
    const names = view.definitions.map(({ name }) => name);
    this.#known.nearest = nearestNames(asked, names);
    const unread = view.diagnostics.find((one) => one.names.length === 0);
    const reason =
      unread === undefined
        ? `No plugin registered a tool "${asked}".`
        : `No plugin that could be read registered a tool "${asked}". ${unread.message}`;
    return this.#refused("unknown", "name", { reason, fix: unread?.fix }, "plugins");
  }

  async #predict({ tool, facts }: Pick<VisibleTool, "tool" | "facts">, rawArgs: unknown): Promise<void> {
    if (rawArgs === undefined || tool.plan === undefined) return;
    const prepared = await validateArguments(tool, rawArgs);
    if (prepared.ok) await this.#workOut({ tool, facts }, prepared.args);
  }

  async #ofVisible(resolution: Visible, rawArgs: unknown): Promise<CallExplanation> {
    this.#addLocation(resolution.tool.facts);
    const misplaced = findMisplacement(this.#known.asked, resolution, this.#session.workspace);
    if (misplaced) return this.#refused("denied", "place", reasonOf(misplaced), "workspace");
    this.#addHooks();
    if (rawArgs === undefined) return this.#ofRules(resolution.tool, undefined, undefined);
    const prepared = await validateArguments(resolution.tool.tool, rawArgs);
    if (!prepared.ok) {
      return this.#refused("invalid-arguments", "arguments", reasonOf(prepared.error), "parameters");
    }
    return this.#ofArguments(resolution, prepared.args);
  }

  async #ofArguments({ tool, target }: Visible, args: Record<string, unknown>): Promise<CallExplanation> {
    if (tool.tool.plan === undefined) return this.#ofRules(tool, args, undefined);
    const policy = this.#policy;
    const calledAs = target === undefined ? undefined : this.#known.asked;
    const needed =
      policy.call(tool.facts, args).effect === "ask" ||
      (await dependsOnPlan(this.#session, policy, tool, args, calledAs));
    const plan = await this.#workOut(tool, args, { calledAs, needed });
    return this.#ofRules(tool, args, needed ? plan : undefined);
  }

  async #workOut(
    tool: Pick<VisibleTool, "tool" | "facts">,
    args: Record<string, unknown>,
    how?: Parameters<typeof workOutPlan>[3],
  ): Promise<CallPlan | undefined> {
    const { plan, obstacle } = await workOutPlan(this.#session, tool, args, how);
    if (plan) {
      const { subjects } = plan;
      const preview = createPreview({ plan, toolName: this.#known.toolName!, args });
      this.#known.plan = subjects === undefined ? { preview } : { subjects, preview };
    }
    this.#obstacle = obstacle;
    return plan;
  }

  async #ofRules(
    tool: VisibleTool,
    args: Record<string, unknown> | undefined,
    plan: CallPlan | undefined,
  ): Promise<CallExplanation> {
    const decision = requireConsent(this.#policy.call(tool.facts, args, plan?.subjects), plan);
    this.#known.call = plainDecision(decision);
    for (const step of decision.trace) this.#trace.add("policy", step);
    if (decision.effect !== "allow" && decision.effect !== "ask") {
      return this.#refused("denied", "policy", this.#withRefusal(decision), "policy");
    }
    if (args === undefined) return this.#ofTool(decision);
    if (this.#obstacle?.early) return this.#ofObstacle(this.#obstacle);
    const made = preparedIdentity(this.#known.toolName!, args, tool.tool);
    const key = callIdentityFor(this.#session, made, this.#sender);
    const repetition = this.#findRepetition(tool, key);
    if (repetition) return this.#refused("loop", "loop", repetition, "loop guard");
    if (this.#obstacle) return this.#ofObstacle(this.#obstacle);
    if (decision.effect === "allow") return this.#decided("runs", "policy", "allow", decision, "policy");
    return this.#ofApproval(decision, key, {
      tool,
      args,
      plan,
      decision,
      summary: () => summarizeCall(this.#known.toolName!, args, { format: "plain" }),
      storeFailed: (_code, rule) =>
        this.#trace.add("approval", { rule, source: "approvals", verdict: "pass" }),
    });
  }

  #ofObstacle({ refusal, thrown }: PlanObstacle): CallExplanation {
    if (refusal === undefined) {
      const fix = HaftError.is(thrown) ? thrown.fix : undefined;
      return this.#refused("fails", "plan", { reason: messageWithCauses(thrown), fix }, "tool");
    }
    this.#addRefusal(refusal);
    this.#known.code = refusal.code;
    return this.#refused("denied", "workspace", refusal, "workspace");
  }

  /** A change of rules alone would not help. */
  #withRefusal({ reason, fix }: Reason): Reason {
    const refusal = this.#obstacle?.refusal;
    if (!refusal) return { reason, fix };
    this.#addRefusal(refusal);
    return { reason: `${reason} The workspace would refuse it as well: ${refusal.reason}` };
  }

  #addRefusal({ code }: Refusal): void {
    this.#trace.add("workspace", { rule: `refuses it: ${code}`, source: "workspace", verdict: "deny" });
  }

  #ofTool(decision: Decision): CallExplanation {
    if (decision.effect === "allow") return this.#decided("runs", "policy", "allow", decision, "policy");
    if (this.#session.settings.approvalMode !== "deny") {
      return this.#decided("asks", "policy", "ask", decision, "policy");
    }
    const reason = `${decision.reason} This session does not request approvals, so only calls with a grant run.`;
    return this.#refused("denied", "approval", { reason, fix: decision.fix }, "approvals");
  }

  #findRepetition({ tool }: VisibleTool, key: string): Reason | undefined {
    const { guard, settings } = this.#session;
    const known = guard.find(key);
    const repetition = known && findRepetition(this.#session, tool, known);
    if (repetition) return reasonOf(repetition);
    const rule =
      settings.loopLimits === undefined
        ? "the loop guard is off"
        : known === undefined
          ? "not made before"
          : `repeated (${known.lastId}), within the limits`;
    this.#trace.add("loop", { rule, source: "loop guard", verdict: "pass" });
    return undefined;
  }

  async #ofApproval(decision: Decision, key: string, subject: ApprovalSubject): Promise<CallExplanation> {
    const session = this.#session;
    const facts = describeSubject(session, subject);
    const grants = await findCoveringGrants(session, subject, facts);
    if (grants !== undefined) {
      const ids = grants.map(({ id, kind }) => `${id} (${kind})`).join(", ");
      const reason = `It was allowed before, by grant ${ids}.`;
      return this.#decided("runs", "approval", "allow", { reason }, "approvals");
    }
    const stored = await peekStoredAnswer(session, facts);
    if (stored !== undefined)
      return this.#decided(stored.verdict, "approval", stored.effect, stored, "approvals");
    const { noAlways } = facts;
    const rule = noAlways === undefined ? "no grant covers it" : `no grant can cover it: ${noAlways}`;
    this.#trace.add("approval", { rule, source: "approvals", verdict: "pass" });
    const { fix } = decision;
    if (session.settings.approvalMode === "deny") {
      const reason = `${decision.reason} This session does not request approvals.`;
      return this.#refused("denied", "approval", { reason, fix }, "approvals");
    }
    const { plan, args, tool } = subject;
    const obstacle = findObstacle(session, { key, plan, args, tool });
    if (obstacle) return this.#refused("denied", "approval", obstacle, "approvals");
    return this.#decided("asks", "policy", "ask", decision, "policy");
  }

  /** Describes place and limits. The file boundary limits neither commands nor plugin code. */
  #addLocation({ builtIn, effects }: ToolFacts): void {
    const { workspace, facts } = this.#session;
    const { target, boundary } = workspace.describe();
    const { sandbox, containment } = facts;
    const runs = builtIn && effects.includes("execute");
    const away = runs && effects.includes("network");
    const view = containment && `; commands contained: ${describeContainment(containment)}`;
    const rule =
      sandbox !== undefined
        ? `acts on the ${target} (mount ${sandbox.mount}, network ${sandbox.network})`
        : away
          ? "acts on another machine, within the approvals there"
          : runs && containment !== undefined
            ? `runs contained on the ${target}: ${describeContainment(containment)}`
            : runs && target === "host"
              ? "runs on the host as the user who started Haft, with all rights of that user; nothing contains it"
              : builtIn
                ? `acts on the ${target} (boundary ${boundary}${view ?? ""})`
                : `acts on the ${target} (boundary ${boundary}${view ?? ""}); its own code has the rights of the host`;
    this.#trace.add("place", { rule, source: "workspace", verdict: "pass" });
  }

  #addHooks(): void {
    for (const hook of this.#session.settings.hooks) {
      if (hook.beforeToolCall === undefined) continue;
      const rule = "runs before each call; not run for this explanation";
      this.#trace.add("hooks", { layer: "hook", rule, source: `hook ${hook.name}`, verdict: "pass" });
    }
  }

  #refused(verdict: Verdict, stage: Stage, reason: Reason, source: string): CallExplanation {
    return this.#decided(verdict, stage, "deny", reason, source);
  }

  #decided(
    verdict: Verdict,
    stage: Stage,
    effect: "allow" | "deny" | "ask",
    { reason, fix }: Reason,
    source: string,
  ): CallExplanation {
    const trace = this.#trace.decidedBy(stage, effect, reason, source);
    return withoutUndefined({ ...this.#known, verdict, reason, fix, trace });
  }
}

function reasonOf({ message, fix }: { message: string; fix?: string | undefined }): Reason {
  return { reason: message, fix };
}

interface PlanObstacle {
  refusal?: Refusal;
  thrown?: unknown;
  /** Ends the call at its plan, not later. */
  early: boolean;
}

async function workOutPlan(
  session: SessionState,
  tool: Pick<VisibleTool, "tool" | "facts">,
  args: Record<string, unknown>,
  { calledAs, needed = false }: { calledAs?: string | undefined; needed?: boolean } = {},
): Promise<{ plan?: CallPlan; obstacle?: PlanObstacle }> {
  try {
    const plan = await computePlan(session, tool, args, calledAs);
    const refusal = plan?.refused;
    return { ...(plan && { plan }), ...(refusal && { obstacle: { refusal, early: false } }) };
  } catch (thrown) {
    const refusal = refusalFrom(thrown);
    if (refusal) return { obstacle: { refusal, early: needed } };
    // An unneeded plan only counts if the call would fail with the same error.
    const fails = needed || (HaftError.is(thrown) && thrown.category === "input");
    return fails ? { obstacle: { thrown, early: needed } } : {};
  }
}
