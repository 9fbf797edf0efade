import type {
  CapabilityLevel,
  CommandTarget,
  EffectName,
  AccessMethod,
  SessionCapabilities,
} from "../../../src/wire/api.ts";
import type { MarkKind } from "../../parts/mark.tsx";
import { escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { owner as texts } from "../../strings/owner.ts";

interface MeansLine {
  text: string;
  tools: readonly string[];
}

interface AbilityLine {
  name: string;
  mark: MarkKind;
  badge: string;
  means: readonly MeansLine[];
  notes: readonly string[];
}

const EFFECTS: readonly EffectName[] = ["read", "write", "commands", "network", "messages", "machines"];
const MARKS: Readonly<Record<CapabilityLevel, MarkKind>> = {
  yes: "allow",
  "some-asked": "ask",
  "some-refused": "ask",
  asks: "ask",
  no: "deny",
};

export function toCapabilityLines(facts: SessionCapabilities): AbilityLine[] {
  return EFFECTS.map((effect) => {
    const { answer, means } = facts.abilities[effect];
    const undeclared = undeclaredIn(facts, effect);
    const isOpen = undeclared.length > 0 && (answer === "no" || answer === "asks");
    return {
      name: texts.effects[effect],
      mark: isOpen ? "warning" : MARKS[answer],
      badge: isOpen ? `${texts.answers[answer]}, ${texts.undeclared}` : texts.answers[answer],
      means: means.map((each) => ({
        text: `${meansText(facts, effect, each)} ${texts.how[each.answer]}`.trim(),
        tools: each.tools,
      })),
      notes: [
        ...(means.length === 0 ? [noneText(facts, effect)] : []),
        ...limitNotes(facts, effect),
        ...(isOpen ? [texts.undeclaredBy(escapeInvisibleLine(undeclared.join(", ")))] : []),
      ],
    };
  });
}

/** Unasked plugin tools without the declared effect. */
function undeclaredIn({ plugins, abilities }: SessionCapabilities, effect: EffectName): readonly string[] {
  const declared = abilities[effect].means.filter(({ means }) => means === "plugins");
  return plugins.unasked.filter((name) => !declared.some(({ tools }) => tools.includes(name)));
}

function meansText(facts: SessionCapabilities, effect: EffectName, { means }: AccessMethod): string {
  switch (means) {
    case "files":
      return texts.files[effect === "write" ? "write" : "read"](facts.isWide);
    case "commands":
      return commandsText(facts.commands, effect);
    case "leaving":
      return texts.commands.leaving;
    case "process":
      return texts.commands.process;
    case "plugins":
      return texts.plugins[effect];
    case "nodes":
      return texts.nodes(escapeInvisibleLine(facts.nodes.join(", ")));
  }
}

function commandsText(target: CommandTarget, effect: EffectName): string {
  const { where, name = "", files = "none", writes = [], network } = target;
  if (where === "node") return texts.commands.node(escapeInvisibleLine(name));
  if (where === "elsewhere") return texts.commands.elsewhere;
  if (where === "open") return texts.commands.open[effect];
  const hosts = hostsText(network);
  const { view, sandbox } = texts.commands;
  if (effect === "network" || effect === "messages" || effect === "machines") return view[effect](hosts);
  if (where === "sandbox") return effect === "write" ? sandbox.write[files] : sandbox[effect];
  return effect === "write" ? view.write(escapeInvisibleLine(writes.join(", "))) : view[effect];
}

function hostsText(network: CommandTarget["network"]): string {
  if (network === undefined || network === "full") return texts.commands.fullNetwork;
  if (network === "limited" || network === "none") return texts.commands.someNetwork;
  return escapeInvisibleLine(network.join(", "));
}

function noneText({ nodes }: SessionCapabilities, effect: EffectName): string {
  return effect === "machines" && nodes.length === 0 ? `${texts.none} ${texts.noNodes}` : texts.none;
}

function limitNotes({ commands, abilities }: SessionCapabilities, effect: EffectName): string[] {
  if (abilities.commands.means.length === 0) return [];
  const { where, network, files, notContained } = commands;
  if (effect === "commands" && notContained !== undefined)
    return [texts.commands.notContained(escapeInvisibleLine(notContained))];
  if (where !== "view" && where !== "sandbox") return [];
  if (effect === "network" && network === "none") return [texts.commands.noNetwork];
  if (effect === "write" && where === "view" && files === "ro") return [texts.commands.view.write("")];
  return [];
}
