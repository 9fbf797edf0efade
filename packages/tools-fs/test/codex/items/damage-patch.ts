import { at } from "./damage-section.ts";
import type { Random } from "./random.ts";

/** What befalls a patch as a whole. */
const WHOLE: readonly ((random: Random, lines: readonly string[]) => string)[] = [
  (random, lines) =>
    `<<${random.pick(["EOF", "'EOF'", '"EOF"', "PATCH"])}\n${lines.join("\n")}\n${random.pick(["EOF", "EOF", "PATCH", "end"])}`,
  (_, lines) => `apply_patch <<'EOF'\n${lines.join("\n")}\nEOF`,
  (_, lines) => `\`\`\`\n${lines.join("\n")}\n\`\`\``,
  (random, lines) =>
    `${random.pick(["\n\n", "  ", "Here it is:\n", "\ufeff"])}${lines.join("\n")}${random.pick(["\n", "\n\n", "\n  ", "\nDone."])}`,
  (_, lines) => lines.join("\r\n"),
  (random, lines) => lines.map((line) => (random.chance(30) ? `${line}\r` : line)).join("\n"),
  (_, lines) => lines.slice(1).join("\n"),
  (_, lines) => lines.slice(0, -1).join("\n"),
  (random, lines) => lines.slice(0, random.below(lines.length)).join("\n"),
  (_, lines) => `${lines.join("\n")}\n*** End Patch`,
  (random, lines) =>
    [
      lines[0],
      "*** Environment ID: one",
      ...(random.chance(30) ? ["*** Environment ID: two"] : []),
      ...lines.slice(1),
    ].join("\n"),
  splitEnvelope,
  (random, lines) =>
    lines
      .map((line) =>
        /^\*\*\* (?:Begin|End) Patch/.test(line)
          ? random.pick([` ${line}`, `${line} `, line.toLowerCase()])
          : line,
      )
      .join("\n"),
  (_, lines) => lines.map((line) => `  ${line}`).join("\n"),
  (random, lines) =>
    at(
      random,
      lines,
      () => true,
      () => [],
    ).join("\n"),
  (random, lines) =>
    at(
      random,
      lines,
      () => true,
      (line) => [line, line],
    ).join("\n"),
  (random, lines) =>
    at(
      random,
      lines,
      () => true,
      (line) => [line, ""],
    ).join("\n"),
  (random, lines) =>
    at(
      random,
      lines,
      () => true,
      (line) => ["", "", line],
    ).join("\n"),
];

function splitEnvelope(random: Random, lines: readonly string[]): string {
  return at(
    random,
    lines,
    (line) => /^\*\*\* (?:Update|Add|Delete)/.test(line),
    (line) => ["*** End Patch", ...(random.chance(50) ? [""] : []), "*** Begin Patch", line],
  ).join("\n");
}

export function damagePatch(random: Random, lines: readonly string[]): string {
  return random.chance(25) ? random.pick(WHOLE)(random, lines) : lines.join("\n");
}
