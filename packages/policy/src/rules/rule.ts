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

/** One thing the evaluator looked at: a trace step, with what is needed to say and to fix it. */
export interface Finding extends TraceStep {
  /** Completes the sentence "`tool` …". */
  readonly because: string;
  /** What would undo it, when it stands in the way and a policy can. All of them together. */
  readonly remedies?: readonly Remedy[];
  /** With the verdict `ask`: what was approved before does not count. Says why. */
  readonly everyTime?: string;
}

/** A change of the policy that is complete once the call is known. */
export type Remedy =
  | Change
  /** Name the tool in this list. Where the list names it on conditions, no further than this call needs it. */
  | { op: "name"; owner: Change["owner"]; list: KeyPath; narrow: readonly CallMatcher[] }
  /** Choose a profile that covers the tool as well. */
  | { op: "widen"; owner: Change["owner"]; scope: KeyPath; profile: ProfileName };

export interface CompileContext {
  readonly document: Document;
  readonly catalogue: Catalogue;
  readonly readEntry: (text: string) => Selector | SelectorProblem;
  /** Absent for documents that were checked before, against the same tools. */
  readonly checks: RuleChecks | undefined;
  readonly problems: Problems;
  /** What is told, and stands in nobody's way. */
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
  /** Those that point at the tool, in order; whatever their conditions. Found beforehand, so that it costs a look-up. */
  findRules(tool: ToolFacts): readonly Rule[];
  /** Those of them that point at it where commands are kept from this, too. */
  findRulesWithin(limits: MatchLimits | undefined, tool: ToolFacts): readonly Rule[];
}

export interface Rule {
  readonly selector: Selector;
  readonly path: KeyPath;
  /** Its conditions; absent when it is about every call. */
  readonly matcher?: CallMatcher;
  readonly hit: Finding;
  readonly pass: Finding;
  /** For lists that hold back: it cannot be ruled out that the rule applies. */
  readonly unclear: (why: string) => Finding;
}
