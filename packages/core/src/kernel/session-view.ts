import { withoutUndefined } from "@haft/utils";
import type { ToolAbsence } from "../compose/absences.ts";
import type { ToolDiagnostic } from "../compose/build-tools.ts";
import type { RegisteredTool, ToolSet } from "../compose/registry.ts";
import type { ToolEffect } from "../contract/plan.ts";
import type { Decision, SessionPolicy } from "../contract/policy-port.ts";
import type { ExecutionTarget } from "../contract/ports.ts";
import { toAdvertisedSchema } from "../parameters/advertised-schema.ts";

/** Describes a tool for a model. */
export interface ToolDefinition {
  /** Contains the name for calls. */
  name: string;
  /** Contains the author's description. */
  description: string;
  /** Describes the arguments as JSON Schema of an object. */
  parameters: Record<string, unknown>;
  /** Describes `details` as JSON Schema, if the tool does. */
  outputSchema?: Record<string, unknown>;
  /** Lists all effects of its calls, for hosts, not for the model. */
  effects: readonly ToolEffect[];
}

/** Describes a registered tool that is not offered. */
export interface MissingTool {
  /** Identifies the tool as `plugin/name`. */
  id: string;
  /** Contains the name for models. */
  name: string;
  /** Identifies the reason: `POLICY_DENIED`, `TOOL_WITHHELD`, `TOOL_REPLACED`, or the code of a diagnostic. */
  code: string;
  /** Explains the reason, as a sentence. */
  reason: string;
  /** Suggests a change, as a sentence. */
  fix?: string;
}

export interface VisibleTool extends RegisteredTool {
  readonly decision: Decision;
}

export type Resolution =
  | { found: "visible"; tool: VisibleTool; target?: ExecutionTarget }
  | { found: "hidden"; tool: RegisteredTool; decision: Decision }
  | { found: "broken"; why: ToolDiagnostic }
  | { found: "absent"; why: ToolAbsence }
  | { found: "unknown"; several: readonly string[] };

type Spelled = { tool: VisibleTool; target?: ExecutionTarget }[];

/** Tools of one context under one session policy, shared by sessions. */
export class SessionView {
  readonly visible = new Map<string, VisibleTool>();
  readonly #hidden = new Map<string, { tool: RegisteredTool; decision: Decision }>();
  readonly #set: ToolSet;
  #definitions: readonly ToolDefinition[] | undefined;
  #spellings: Map<string, Spelled> | undefined;

  constructor(set: ToolSet, policy: SessionPolicy) {
    this.#set = set;
    for (const registered of set.byId.values()) {
      const decision = policy.visibility(registered.facts);
      const name = nameOf(registered);
      if (decision.effect === "deny") this.#hidden.set(name, { tool: registered, decision });
      else this.visible.set(name, { ...registered, decision });
    }
  }

  /** Excludes tools without a short name, since providers refuse `/`. */
  get definitions(): readonly ToolDefinition[] {
    this.#definitions ??= [...this.visible.values()]
      .filter(({ hasShortName }) => hasShortName)
      .map(({ tool: { name, description, parameters, outputSchema, effects } }) =>
        withoutUndefined<ToolDefinition>({
          name,
          description,
          parameters: toAdvertisedSchema(parameters),
          outputSchema,
          effects,
        }),
      );
    return this.#definitions;
  }

  get diagnostics(): readonly ToolDiagnostic[] {
    return this.#set.diagnostics;
  }

  missing(): MissingTool[] {
    const { byId, diagnostics, absences } = this.#set;
    const missing = new Map<string, MissingTool>();
    for (const { tool, decision } of this.#hidden.values()) {
      const { id, name } = tool.facts;
      const { reason, fix } = decision;
      missing.set(id, withoutUndefined<MissingTool>({ id, name, code: "POLICY_DENIED", reason, fix }));
    }
    for (const { names, pluginId, code, message: reason, fix } of [...diagnostics, ...absences]) {
      for (const name of names) {
        const id = `${pluginId}/${name}`;
        if (missing.has(id) || byId.get(id)?.hasShortName) continue;
        missing.set(id, { id, name, code, reason, fix });
      }
    }
    return [...missing.values()];
  }

  /** Accepts the exact name, or another spelling of exactly one tool. */
  resolve(name: string): Resolution {
    const exact = this.visible.get(name);
    if (exact) return { found: "visible", tool: exact };
    const direct = this.#resolveSpelling(name);
    if (direct) return direct;
    const suffix = /[.:/]([^.:/]+)$/.exec(name)?.[1];
    return (
      (suffix === undefined ? undefined : this.#resolveSpelling(suffix)) ?? { found: "unknown", several: [] }
    );
  }

  /** Never mistakes an uncallable tool for another. */
  #resolveSpelling(name: string): Resolution | undefined {
    const hidden = this.#hidden.get(name);
    if (hidden) return { found: "hidden", ...hidden };
    this.#spellings ??= this.#collectSpellings();
    const [spelled, ...others] = this.#spellings.get(normalize(name)) ?? [];
    if (spelled) {
      return others.length === 0
        ? { found: "visible", ...spelled }
        : { found: "unknown", several: [spelled, ...others].map(({ tool }) => nameOf(tool)) };
    }
    const hiddenToo = this.#hiddenByOtherName(name);
    return hiddenToo ? { found: "hidden", ...hiddenToo } : this.#findAbsence(name);
  }

  #findAbsence(name: string): Resolution | undefined {
    const key = normalize(name);
    const isMeant = ({ names, pluginId }: Pick<ToolDiagnostic, "names" | "pluginId">) =>
      names.some((other) => normalize(other) === key || normalize(`${pluginId}/${other}`) === key);
    const { diagnostics, absences } = this.#set;
    const broken = diagnostics.find((one) => one.code !== "TOOL_NAME_COLLISION" && isMeant(one));
    if (broken) return { found: "broken", why: broken };
    const absent = absences.find(isMeant);
    return absent && { found: "absent", why: absent };
  }

  #collectSpellings(): Map<string, Spelled> {
    const spellings = new Map<string, Spelled>();
    const add = (spelling: string, entry: Spelled[number]) => {
      const key = normalize(spelling);
      const others = (spellings.get(key) ?? []).filter(({ tool }) => tool !== entry.tool);
      spellings.set(key, [...others, entry]);
    };
    for (const [name, tool] of this.visible) {
      add(name, { tool });
      if (tool.hasShortName) add(tool.facts.id, { tool });
    }
    // Names precede other names: no tool makes another's name ambiguous.
    const ownNames = new Set(spellings.keys());
    for (const tool of this.visible.values()) {
      for (const [other, { target }] of Object.entries(tool.tool.otherNames ?? {})) {
        if (!ownNames.has(normalize(other))) add(other, target === undefined ? { tool } : { tool, target });
      }
    }
    return spellings;
  }

  #hiddenByOtherName(name: string): { tool: RegisteredTool; decision: Decision } | undefined {
    const key = normalize(name);
    for (const hidden of this.#hidden.values()) {
      const names = [
        hidden.tool.facts.name,
        hidden.tool.facts.id,
        ...Object.keys(hidden.tool.tool.otherNames ?? {}),
      ];
      if (names.some((other) => normalize(other) === key)) return hidden;
    }
    return undefined;
  }
}

function nameOf({ facts, hasShortName }: RegisteredTool): string {
  return hasShortName ? facts.name : facts.id;
}

function normalize(name: string): string {
  return name.trim().toLowerCase().replaceAll("-", "_");
}

const views = new WeakMap<ToolSet, WeakMap<SessionPolicy, SessionView>>();

export function getSessionView(set: ToolSet, policy: SessionPolicy): SessionView {
  let byPolicy = views.get(set);
  if (!byPolicy) views.set(set, (byPolicy = new WeakMap()));
  let view = byPolicy.get(policy);
  if (!view) byPolicy.set(policy, (view = new SessionView(set, policy)));
  return view;
}
