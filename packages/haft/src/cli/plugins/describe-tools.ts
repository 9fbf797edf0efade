import { getDeclaredEffects } from "@haft/core/internal";
import type { DescribedPlugin } from "@haft/plugin-loader/internal/plugins";
import { formatTable } from "@haft/policy";
import { escapeInvisible } from "@haft/utils";
import { firstSentence } from "../write-out.ts";

export function toolLines({ registrations }: DescribedPlugin): string[] {
  const rows = registrations.flatMap(({ names, optional, channels, effects, tools }) =>
    names.map((name) => {
      const tool = tools?.find((one) => one.name === name);
      const about = [
        tool === undefined ? "created by its factory for each session" : firstSentence(tool.description),
        ...(optional === true ? ["optional: off until a policy names it"] : []),
        ...(channels === undefined ? [] : [`in channels ${channels.join(", ")}`]),
      ];
      // A factory declares maximum effects.
      const does = tool?.effects ?? getDeclaredEffects(effects, name);
      return [name, does === undefined ? "" : effectsText(does), about.join("; ")].map(escapeInvisible);
    }),
  );
  return formatTable(rows);
}

export function effectsText(effects: readonly string[]): string {
  return effects.length === 0 ? "declares no effects" : effects.join(", ");
}
