import type { SessionKind, ToolFacts } from "@haft/core";
import { findDecisiveStep } from "@haft/core/internal";
import {
  type CallFacts,
  type CallMatcher,
  findCoveringMatchers,
  restrictsCall,
} from "../patterns/match-call.ts";
import { profileCovers } from "../patterns/profiles.ts";
import { namesTools } from "../patterns/selector.ts";
import { isWorkspaceDocument } from "../read/document.ts";
import { evaluateExec, evaluateRequestedLimits, type ProgramRun } from "../rules/exec-rules.ts";
import type { CompiledList, Finding, Rule } from "../rules/rule.ts";
import type { Scope } from "../rules/scopes.ts";
import { tableCell } from "../rules/session-table.ts";
import { evaluateElevation } from "./elevation.ts";
import type { Layers } from "./layers.ts";
import { evaluateContainment, getOutsideReason } from "./resolve-containment.ts";
import { getHitFinding, findRestrictingRules } from "./restricting-rules.ts";

export type EvaluationSubject = CallFacts | "visibility";

const builtInSource = "built-in session table";

/** Evaluates all rules, in order. @param everything also reports rules that do not match */
export function evaluate(
  layers: Layers,
  tool: ToolFacts,
  question: EvaluationSubject,
  everything = true,
): Finding[] {
  if (question === "visibility") return evaluateAll(layers, tool, question, everything);
  const { command, ...others } = question.subjects ?? {};
  if (command?.input !== true) return evaluateAll(layers, tool, withRedirects(layers, question), everything);
  // The rules for `exec` apply to input for a shell.
  const typed = { args: undefined, subjects: { command } };
  return [
    ...evaluateAll(layers, tool, { ...question, subjects: others }, everything),
    ...evaluateAll(layers, asExec(tool), typed, everything),
  ];
}

/** A redirect may open only paths that the file tools may open. */
function withRedirects(layers: Layers, call: CallFacts): CallFacts {
  const { subjects } = call;
  const { command } = subjects ?? {};
  if (command?.redirects === undefined || command.unclear !== undefined) return call;
  for (const path of command.redirects) {
    const tool = FILE_TOOLS[path.access];
    const findings = evaluateAll(layers, tool, { args: undefined, subjects: { paths: [path] } }, false);
    const deciding = findDecisiveStep(findings);
    if (deciding?.verdict === "allow") continue;
    const verb = path.access === "write" ? "writes to" : "reads from";
    const why = deciding === undefined ? "may not" : deciding.because;
    const unclear = `it ${verb} ${path.relative} by a redirect, and ${tool.name} ${why}`;
    return { ...call, subjects: { ...subjects, command: { ...command, unclear } } };
  }
  return call;
}

function evaluateAll(
  layers: Layers,
  tool: ToolFacts,
  question: EvaluationSubject,
  everything: boolean,
): Finding[] {
  const { kind, scopes, sandbox, view } = layers;
  const call = question === "visibility" ? undefined : question;
  const elevation =
    call &&
    evaluateElevation(call.subjects, {
      sandboxed: kind === "sandboxed" || sandbox !== undefined,
      gates: layers.exec,
      document: layers.document,
    });
  const leaves = getOutsideReason(view, tool, call) !== undefined;
  const run: ProgramRun = { view, leaves, lifted: elevation?.granted ?? false };
  const evaluation: Evaluation = { layers, tool, call, everything, run, findings: [] };
  // Goes first: the reason must refer to the call itself.
  if (call) evaluation.findings.push(...evaluateContainment(layers, tool, call, elevation));
  if (!view.guarded) evaluateTable(evaluation, kind, scopes);
  if (everything) evaluation.findings.push(...layers.notices);
  // Goes before the rules that it lifts: a refusal becomes the reason.
  if (elevation) evaluation.findings.push(elevation.finding);
  for (const scope of scopes) evaluateScope(evaluation, scope);
  for (const parent of layers.parents) {
    const above: Evaluation = { ...evaluation, findings: [] };
    if (parent.hasTableRow && !view.guarded) evaluateTable(above, parent.kind, parent.scopes);
    for (const scope of parent.addedScopes) evaluateScope(above, scope);
    if (parent.kind === "sandboxed" && kind !== "sandboxed") above.findings.push(leftSandbox);
    evaluation.findings.push(...above.findings.map(ofParent));
  }
  const command = call?.subjects?.command;
  if (command)
    evaluation.findings.push(
      ...evaluateRequestedLimits(
        command,
        layers.exec.map(({ layer }) => layer),
      ),
    );
  // The first permission is the reason, and every rule is a better one.
  if (view.guarded) evaluation.findings.push(leftToClient);
  return evaluation.findings;
}

interface Evaluation {
  readonly layers: Layers;
  readonly tool: ToolFacts;
  readonly call: CallFacts | undefined;
  readonly everything: boolean;
  readonly run: ProgramRun;
  readonly findings: Finding[];
}

const leftSandbox: Finding = {
  layer: "sessions",
  rule: "subagents of a sandboxed session stay in a sandbox",
  source: builtInSource,
  verdict: "deny",
  because: "is denied outside of a sandbox, because a sandboxed session opened this session",
};

function ofParent(finding: Finding): Finding {
  const because = `${finding.because}, in the session that opened this one`;
  return { ...finding, layer: `parent ${finding.layer}`, because };
}

function evaluateScope(evaluation: Evaluation, { profile, deny, allow, ask, exec }: Scope): void {
  const { tool, call, findings } = evaluation;
  // Client tools without effects only update the client's own state.
  const acts = !evaluation.run.view.guarded || tool.effects.length > 0;
  if (profile && acts) findings.push(profileCovers(profile.name, tool) ? profile.hit : profile.miss);
  if (deny) evaluateRestricting(evaluation, deny);
  if (allow && acts && !evaluateOpening(evaluation, allow)) findings.push(allowMiss(evaluation, allow));
  if (ask) evaluateRestricting(evaluation, ask);
  if (exec && call) findings.push(...evaluateExec(exec, tool, call, evaluation.run));
}

function evaluateTable(evaluation: Evaluation, kind: SessionKind, scopes: readonly Scope[]): void {
  const { tool, findings, layers } = evaluation;
  const cell = tableCell(tool, kind);
  const subject = tool.builtIn ? tool.name : "plugin tools";
  const base = { layer: "sessions", source: builtInSource };
  if (cell === undefined) {
    const because = `has no cell for ${kind} sessions in the ${builtInSource}`;
    findings.push({ ...base, rule: "no cell, so not allowed", verdict: "deny", because });
  } else if (cell.verdict === "grant") {
    const because = `is denied in ${kind} sessions unless granted (${builtInSource}: ${cell.note})`;
    const rule = `${subject} in ${kind} sessions: denied unless granted`;
    const pass: Finding = { ...base, rule, verdict: "pass", because };
    findings.push(pass);
    const granted = scopes.some(({ grant }) => grant && evaluateOpening(evaluation, grant));
    if (!granted) {
      const list = ["sessions", kind, "grant"];
      const narrow = scopes.flatMap(({ grant }) => (grant ? conditionsFor(evaluation, grant) : []));
      const remedies = [{ op: "name", owner: layers.document.owner, list, narrow }] as const;
      const miss = { ...pass, layer: "grant", rule: "no rule grants it", verdict: "deny" } as const;
      findings.push({ ...miss, remedies, ...unlessKnown(evaluation, narrow) });
    }
  } else if (cell.verdict === "ask" && isSpared(evaluation, kind)) {
    const rule = `${subject} in ${kind} sessions: ask, unless commands are contained`;
    const because = `is allowed in ${kind} sessions whose commands are contained (${builtInSource})`;
    findings.push({ ...base, rule, verdict: "allow", because });
  } else {
    const phrases = { allow: "is allowed in", ask: "needs approval in", deny: "is denied in" };
    const because = `${phrases[cell.verdict]} ${kind} sessions (${builtInSource}: ${cell.note})`;
    const rule = `${subject} in ${kind} sessions: ${cell.verdict}`;
    findings.push({ ...base, rule, verdict: cell.verdict, because });
  }
  if (tool.optional) evaluateOptional(evaluation, kind, scopes);
  if (OF_SERVERS.every((group) => tool.groups.includes(group)))
    findings.push({ ...unknownEffects, source: `plugin ${tool.pluginId}` });
}

const OF_SERVERS = ["mcp", "unknown-effects"];

/** The plan of each call requires consent. The rule shows this before a call exists. */
const unknownEffects: Omit<Finding, "source"> = {
  layer: "effects",
  rule: "tools without declared effects need approval",
  verdict: "ask",
  because: "needs approval for each call, because nobody has declared its effects",
};

const leftToClient: Finding = {
  layer: "sessions",
  rule: "run by another program with its own limits and approvals",
  source: builtInSource,
  verdict: "allow",
  because: "is left to the program that runs it, because no rule applies",
};

/** `bash` needs approval because it could do anything on the host, but not in a view. */
function isSpared({ tool, run }: Evaluation, kind: SessionKind): boolean {
  const contained = run.view.containment !== undefined && !run.leaves;
  return contained && kind === "main" && tool.builtIn && tool.name === "bash";
}

function evaluateOptional(evaluation: Evaluation, kind: SessionKind, scopes: readonly Scope[]): void {
  const { tool, findings, layers } = evaluation;
  for (const { grant, allow } of scopes) {
    for (const list of [grant, allow].filter((each) => each !== undefined && !isWorkspaceDocument(each))) {
      const naming = list?.findRules(tool).filter(({ selector }) => namesTools(selector)) ?? [];
      const [named] = coveringRules(evaluation, naming);
      if (!named) continue;
      findings.push({ ...named.hit, layer: "optional", rule: `enabled by ${named.hit.rule}` });
      return;
    }
  }
  findings.push({
    layer: "optional",
    rule: "optional tools are disabled until a rule names them",
    source: `plugin ${tool.pluginId}`,
    verdict: "deny",
    because: "is an optional tool and no rule names it",
    remedies: [{ op: "name", owner: layers.document.owner, list: ["sessions", kind, "grant"], narrow: [] }],
  });
}

/** The fix needs every rule that matches. */
function evaluateRestricting(
  { layers, tool, call, everything, run, findings }: Evaluation,
  list: CompiledList,
): void {
  const away = run.leaves || call?.subjects?.node !== undefined;
  const limits = away ? undefined : layers.limits;
  const there = call === undefined ? tool : asThere(tool, call);
  const concerning = findRestrictingRules(list, there, run.view, limits);
  const concerned = everything ? new Set(concerning) : undefined;
  for (const rule of everything ? list.rules : concerning) {
    if (concerned?.has(rule) === false) findings.push(rule.pass);
    else if (rule.matcher === undefined) findings.push(getHitFinding(rule, tool));
    else if (call === undefined) findings.push(rule.pass);
    else {
      const match = restrictsCall(rule.matcher, tool, call, limits);
      const known = match === "yes" ? getHitFinding(rule, tool) : rule.pass;
      findings.push(typeof match === "string" ? known : rule.unclear(match.unclear));
    }
  }
}

function evaluateOpening(evaluation: Evaluation, list: CompiledList): boolean {
  const covering = coveringRules(evaluation, list.findRules(evaluation.tool));
  let left = covering.length;
  for (const rule of evaluation.everything ? list.rules : covering) {
    const hit = covering.includes(rule);
    evaluation.findings.push(hit ? rule.hit : rule.pass);
    if (hit && --left === 0) return true;
  }
  return false;
}

/** Returns one rule that allows the call, or several that each cover a part. */
function coveringRules({ call }: Evaluation, rules: readonly Rule[]): readonly Rule[] {
  const free = rules.find(({ matcher }) => call === undefined || matcher === undefined);
  if (free !== undefined || call === undefined) return free ? [free] : [];
  const covering = findCoveringMatchers(
    rules.map(({ matcher }) => matcher!),
    call,
  );
  return rules.filter(({ matcher }) => covering.includes(matcher!));
}

function allowMiss(evaluation: Evaluation, { owner, path, source, ...list }: CompiledList): Finding {
  const narrow = conditionsFor(evaluation, list);
  return {
    layer: "allow",
    rule: "only the tools that allow lists",
    source,
    verdict: "deny",
    ...unlessKnown(evaluation, narrow),
    because: narrow.length > 0 ? `is listed in ${source} for other calls only` : `is not listed in ${source}`,
    remedies: [{ op: "name", owner, list: path, narrow }],
  };
}

function conditionsFor(
  { tool, call }: Evaluation,
  list: Pick<CompiledList, "findRules">,
): readonly CallMatcher[] {
  return call === undefined ? [] : list.findRules(tool).flatMap(({ matcher }) => matcher ?? []);
}

/** If the effects of this call are unknown, the denial applies to some calls only. */
function unlessKnown({ call }: Evaluation, narrow: readonly CallMatcher[]): Pick<Finding, "toSome"> {
  const isKnown = call?.args !== undefined || call?.subjects !== undefined;
  return narrow.length > 0 && !isKnown ? { toSome: "deny" } : {};
}

const fileTool = (name: "read" | "write"): ToolFacts => ({
  id: `files/${name}`,
  name,
  pluginId: "files",
  optional: false,
  effects: [name],
  groups: ["fs"],
  builtIn: true,
});

/** Lists cache rules by object identity, so each stand-in is created once. */
const FILE_TOOLS = { read: fileTool("read"), write: fileTool("write") };

function asExec(tool: ToolFacts): ToolFacts {
  let exec = execs.get(tool);
  if (!exec) execs.set(tool, (exec = { ...tool, id: `${tool.pluginId}/exec`, name: "exec" }));
  return exec;
}

const execs = new WeakMap<ToolFacts, ToolFacts>();

/** Returns the tool with the effects of this call: on a node only the approved effects count. */
function asThere(tool: ToolFacts, { subjects }: CallFacts): ToolFacts {
  const effects = subjects?.node?.effects;
  if (effects === undefined) return tool;
  const known = there.get(tool) ?? new Map<string, ToolFacts>();
  there.set(tool, known);
  const key = effects.join();
  const facts = known.get(key) ?? { ...tool, effects };
  known.set(key, facts);
  return facts;
}

const there = new WeakMap<ToolFacts, Map<string, ToolFacts>>();
