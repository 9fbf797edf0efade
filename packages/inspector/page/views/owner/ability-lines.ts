import type { Abilities, Ability, CellWord } from "../../../src/wire/api.ts";
import { visibleLine } from "../../parts/text/visible-text.ts";
import { owner as texts } from "../../strings.ts";

/** One thing an agent can do, or cannot, in words. */
export interface AbilityLine {
  name: string;
  /** The milder answer is not enough where some calls get a stricter one. */
  word: CellWord;
  text: string;
  tools: readonly string[];
}

/** The facts as sentences, what matters most first. */
export function abilityLines(abilities: Abilities): AbilityLine[] {
  const { read, write, commands, network, messages, nodes } = abilities;
  const names = texts.abilities;
  return [
    line(names.read, read, texts.read[answerOf(read)]),
    line(names.write, write, texts.write[answerOf(write)]),
    line(names.commands, commands, commandsText(commands)),
    line(names.network, network, texts.network[answerOf(network)]),
    line(names.messages, messages, texts.messages[answerOf(messages)]),
    line(
      names.nodes,
      nodes,
      nodes.names.length === 0
        ? texts.noNodes
        : `${texts.nodes[answerOf(nodes)]} ${visibleLine(nodes.names.join(", "))}.`,
    ),
  ];
}

function line(name: string, ability: Ability, text: string): AbilityLine {
  const { tools } = ability;
  // A plain yes would be too much where some calls are asked about or refused.
  const partly =
    ability.toSome === undefined ? "" : ` ${texts.partly[ability.toSome === "ask" ? "ask" : "deny"]}`;
  return { name, word: ability.word, text: `${text}${partly}`, tools };
}

function commandsText({ word, where, writes, network, leaving, tools }: Abilities["commands"]): string {
  if (tools.length === 0 || word === "deny" || word === "grant" || where === "nowhere")
    return texts.commands.none;
  const parts: string[] = [word === "ask" ? texts.commands.ask : texts.commands.allow, texts.commands[where]];
  if (writes !== undefined && writes.length > 0)
    parts.push(texts.commands.writes(visibleLine(writes.join(", "))));
  if (network === "none") parts.push(texts.commands.noNetwork);
  else if (network === "full") parts.push(texts.commands.allNetwork);
  else if (network !== undefined) parts.push(texts.commands.hosts(visibleLine(network.join(", "))));
  if (leaving !== undefined) parts.push(texts.commands[leaving === "asks" ? "leavingAsks" : "leavingNever"]);
  return parts.join(" ");
}

function answerOf({ word, tools }: Ability): "allow" | "ask" | "deny" {
  if (tools.length === 0 || word === "deny" || word === "grant") return "deny";
  return word;
}
