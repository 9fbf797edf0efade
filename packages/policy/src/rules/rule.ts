import type { ToolFacts } from "@haft/core";
import type { TraceStep } from "@haft/core/internal";
import type { CallMatcher, MatchLimits } from "../patterns/match-call.ts";
import type { ProfileName } from "../patterns/profiles.ts";
import type { Selector, SelectorProblem } from "../patterns/selector.ts";
import type { Change } from "../read/change.ts";
import type { Document } from "../read/document.ts";
import type { RuleList } from "../read/policy-config.ts";
import type { KeyPath, Problems } from "../read/problems.ts";
import type { Catalogue } from "./catalogue.ts";

export interface Finding extends TraceStep {
  /** Completes the sentence "`tool` …". */
  readonly because: string;
  /** All changes together remove the obstacle. */
  readonly remedies?: readonly Remedy[];
  /** With the verdict `ask`: grants do not apply, with the reason. */
  readonly everyTime?: string;
}

/** A policy change that the call completes. */
export type Remedy =
  | Change
  /** Names the tool in this list. If the list has conditions for it, only as wide as this call needs. */
  | { op: "name"; owner: Change["owner"]; list: KeyPath; narrow: readonly CallMatcher[] }
  | { op: "widen"; owner: Change["owner"]; scope: KeyPath; profile: ProfileName };

export interface CompileContext {
  readonly document: Document;
  readonly catalogue: Catalogue;
  readonly readEntry: (text: string) => Selector | SelectorProblem;
  /** Absent for documents that were checked earlier. */
  readonly checks: RuleChecks | undefined;
  readonly problems: Problems;
  readonly notices: Problems;
}

export interface RuleChecks {
  rule(
    rule: Rule,
    matching: readonly ToolFacts[],
    list: RuleList,
    anywhere: boolean,
    context: CompileContext,
  ): void;
  lists(lists: ScopeLists, context: CompileContext): void;
}

export interface ScopeLists {
  readonly grant: CompiledList | undefined;
  readonly deny: CompiledList | undefined;
  readonly ask: CompiledList | undefined;
  readonly allow: CompiledList | undefined;
}

export interface CompiledList {
  readonly list: RuleList;
  readonly owner: Change["owner"];
  readonly path: KeyPath;
  readonly source: string;
  readonly rules: readonly Rule[];
  /** Returns rules in order, regardless of conditions. Cached. */
  findRules(tool: ToolFacts): readonly Rule[];
  findRulesWithin(limits: MatchLimits | undefined, tool: ToolFacts): readonly Rule[];
}

export interface Rule {
  readonly selector: Selector;
  readonly path: KeyPath;
  /** Absent if the rule applies to every call. */
  readonly matcher?: CallMatcher;
  readonly hit: Finding;
  readonly pass: Finding;
  readonly unclear: (why: string) => Finding;
}
