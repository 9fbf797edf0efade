import { shellWord } from "@haft/utils";
import { nextCommand } from "../location/next-command.ts";
import { parseOpeningCommand } from "../run/resume-command.ts";

/** Stored with the run for `haft chat --resume`. */
export function chatCommandWords(
  options: readonly string[] = [],
  values: { readonly "base-url"?: string; readonly "key-env"?: string },
): string[] {
  const endpoint = (["base-url", "key-env"] as const).flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
  return ["chat", ...options, ...endpoint];
}

export function chatCommand(runId: string, words: readonly string[] = []): string {
  const { options } = parseOpeningCommand(words);
  return nextCommand(["haft chat --resume", ...[runId, ...options].map(shellWord)].join(" "));
}
