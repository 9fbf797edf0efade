import type { Session } from "@haft/core/kernel";

const ABOUT: readonly (readonly [tools: readonly string[], sentence: string])[] = [
  [
    ["edit", "write", "apply_patch"],
    "Read a file before you change it, and change as little as the task needs.",
  ],
  [["grep", "find", "ls"], "Search instead of guessing where something is."],
  [["process"], "End background processes that your commands started when you are done with them."],
];

/**
 * Returns system instructions for a model: the location and rules for its tools. Short, because every step
 * sends it.
 *
 * @param location the session's folder, for people
 */
export function agentInstructions(session: Pick<Session, "tools">, location?: string): string {
  const names = new Set(session.tools().map(({ name }) => name));
  const where = location === undefined ? "" : ` You work in ${location}; paths are relative to it.`;
  if (names.size === 0)
    return `You help a user on a terminal.${where} You have no tools. Say which tools you would need.`;
  const sentences = ABOUT.flatMap(([tools, sentence]) =>
    tools.some((name) => names.has(name)) ? [sentence] : [],
  );
  return [
    `You help a user on a terminal, with the tools you have.${where}`,
    ...sentences,
    "A blocked or denied call gives the reason. Use another way or tell the user; do not repeat the call.",
    "Answer briefly, in plain text, and name what you changed.",
  ].join(" ");
}
