import type { Sender, SessionFacts, SessionPolicy, ToolFacts } from "@haft/core";
import { type SenderKey, validSenderKey } from "../read/sender-key.ts";
import type { CompiledPolicy } from "../rules/compile-policy.ts";
import type { Scopes } from "../rules/scopes.ts";
import { type AnswerRange, readAnswerRange, widenRange } from "./answer-range.ts";

const MOST = 256;

export function computeAnswerRange(
  compiled: CompiledPolicy,
  forSession: (facts: SessionFacts) => SessionPolicy,
  { facts, tool, open = false }: { facts: SessionFacts; tool: ToolFacts; open?: boolean },
): AnswerRange {
  const { variants, isComplete } = variantsOf(compiled, facts, open);
  const range = variants.map((each) => readAnswerRange(forSession(each), tool)).reduce(widenRange);
  return isComplete ? range : { ...range, mildest: "allow", outside: "allow" };
}

/** Returns the variants that rules distinguish. `isComplete` is false if there are more than {@link MOST}. */
function variantsOf(
  compiled: CompiledPolicy,
  facts: SessionFacts,
  open: boolean,
): { variants: SessionFacts[]; isComplete: boolean } {
  const documents = [
    compiled.policy,
    ...(compiled.administrator ? [compiled.administrator] : []),
    ...compiled.workspace,
  ];
  const names = (part: "channels" | "groups" | "models" | "senders") => [
    ...new Set(documents.flatMap(({ parts }) => [...parts[part].keys()])),
  ];
  const keys = [...new Set([...names("senders"), ...documents.flatMap(elevatedSenders)])].flatMap(
    validSenderKey,
  );
  const channels = open
    ? [facts.messageChannel, ...names("channels"), ...keys.flatMap(({ channel }) => channel ?? [])]
    : [facts.messageChannel];
  const senders = [facts.sender, ...keys.map(senderOf), ...(keys.length > 0 ? OTHER_SENDERS : [])];
  const groups = open ? [facts.groupId, ...names("groups")] : [facts.groupId];
  const models = open ? [facts.model, ...names("models")] : [facts.model];
  const parents =
    open && documents.some(({ subagents }) => subagents !== undefined)
      ? [facts.parent, facts]
      : [facts.parent];
  let variants: SessionFacts[] = [facts];
  const vary = <Value>(
    values: readonly Value[],
    change: (facts: SessionFacts, value: Value) => SessionFacts,
  ) => {
    variants = variants
      .flatMap((each) => [...new Set(values)].map((value) => change(each, value)))
      .slice(0, MOST);
  };
  const count = [channels, senders, groups, models, parents].reduce(
    (product, { length }) => product * length,
    1,
  );
  vary(channels, (each, messageChannel) => ({ ...each, messageChannel }));
  vary(groups, (each, groupId) => (groupId === undefined ? each : { ...each, groupId }));
  vary(models, (each, model) => ({ ...each, model }));
  vary(senders, (each, sender) => (sender === undefined ? each : { ...each, sender }));
  vary(parents, (each, parent) => (parent === undefined ? each : { ...each, parent }));
  return { variants, isComplete: count <= MOST };
}

const OTHER_SENDERS: readonly (Sender | "system" | undefined)[] = [
  { id: "a sender that no rule names" },
  "system",
];

function elevatedSenders({ root, parts, subagents }: Scopes): readonly string[] {
  const all = [root, subagents, ...Object.values(parts).flatMap((byKey) => [...byKey.values()])];
  return all.flatMap((scope) => scope?.exec?.elevated?.senders ?? []);
}

function senderOf({ kind, value }: SenderKey): Sender | "system" | undefined {
  if (kind === "system") return kind;
  if (kind === "unknown" || kind === "anyone") return undefined;
  return { [kind]: value };
}
