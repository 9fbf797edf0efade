import type { ToolEffect } from "@haft/core";
import type {
  Capability,
  CapabilityLevel,
  CommandTarget,
  EffectName,
  AccessMethod,
  AccessMethodKind,
} from "../../wire/api.ts";
import { type CapabilityTool, hasEffect } from "./capability-tools.ts";

/** Strongest first. */
const STRENGTH: readonly CapabilityLevel[] = ["yes", "some-asked", "some-refused", "asks", "no"];

export function toCapabilities(
  tools: readonly CapabilityTool[],
  target: CommandTarget,
  nodes: number,
): Record<EffectName, Capability> {
  const ways = (...means: (readonly AccessMethod[])[]) => ability(means.flat());
  const plugins = (effect: ToolEffect) => meansOf("plugins", tools, (tool) => declares(tool, effect));
  const commands = meansOf("commands", tools);
  const inside = (reach: Reach) => narrowed(commands, reach);
  const leaving = target.where === "view" ? leavingOf(tools) : [];
  const onNodes = nodes === 0 ? [] : meansOf("nodes", tools);
  const reach = networkReach(target);
  return {
    read: ways(
      meansOf("files", tools, ({ facts }) => hasEffect(facts, "read") && !hasEffect(facts, "write")),
      commands,
      leaving,
      plugins("read"),
    ),
    write: ways(
      meansOf("files", tools, ({ facts }) => hasEffect(facts, "write")),
      inside(target.where === "view" && target.files === "ro" ? "nothing" : "all"),
      leaving,
      plugins("write"),
    ),
    commands: ways(commands, leaving, meansOf("process", tools), plugins("execute")),
    network: ways(inside(reach), leaving, plugins("network")),
    messages: ways(inside(reach), leaving, plugins("message")),
    machines: ways(onNodes, inside(reach), leaving),
  };
}

type Reach = "all" | "some" | "nothing";

function networkReach({ where, network }: CommandTarget): Reach {
  if (where === "open" || where === "elsewhere" || where === "node") return "all";
  if (network === "none") return "nothing";
  return network === "full" || network === undefined ? "all" : "some";
}

function declares({ facts }: CapabilityTool, effect: ToolEffect): boolean {
  return facts.effectsUnknown === true || hasEffect(facts, effect) || hasEffect(facts, "execute");
}

function meansOf(
  means: CapabilityTool["kind"],
  all: readonly CapabilityTool[],
  fits: (tool: CapabilityTool) => boolean = () => true,
): AccessMethod[] {
  const tools = all.filter((tool) => tool.kind === means && fits(tool));
  return byAnswer(
    means,
    tools.map((tool) => ({ ...tool, answer: answerOf(tool.mildest, tool.strictest) })),
  );
}

/** It has all rights of the user. */
function leavingOf(all: readonly CapabilityTool[]): AccessMethod[] {
  const tools = all.filter(({ kind }) => kind === "commands");
  return byAnswer(
    "leaving",
    tools.map((tool) => ({ ...tool, answer: answerOf(tool.outside, "ask") })),
  );
}

function byAnswer(
  means: AccessMethodKind,
  tools: readonly { name: string; answer: CapabilityLevel; reason: string }[],
): AccessMethod[] {
  return STRENGTH.filter((answer) => answer !== "no").flatMap((answer) => {
    const same = tools.filter((tool) => tool.answer === answer);
    const [first] = same;
    return first === undefined
      ? []
      : [{ means, answer, tools: same.map(({ name }) => name), reason: first.reason }];
  });
}

function answerOf(mildest: CapabilityTool["mildest"], strictest: CapabilityTool["mildest"]): CapabilityLevel {
  if (mildest === "ask") return "asks";
  if (mildest !== "allow") return "no";
  if (strictest === "allow") return "yes";
  return strictest === "ask" ? "some-asked" : "some-refused";
}

function narrowed(means: readonly AccessMethod[], reach: Reach): AccessMethod[] {
  if (reach === "nothing") return [];
  if (reach === "all") return [...means];
  return means.map((each) => (each.answer === "yes" ? { ...each, answer: "some-refused" } : each));
}

function ability(all: readonly AccessMethod[]): Capability {
  const means = all.toSorted((one, other) => STRENGTH.indexOf(one.answer) - STRENGTH.indexOf(other.answer));
  // The command describes its input.
  const [best] = means.filter((each) => each.means !== "process");
  return { answer: best?.answer ?? "no", means: best === undefined ? [] : means };
}
