import type { Session } from "@haft/core/kernel";

/** A sentence for sessions that have one of these tools. */
const ABOUT: readonly (readonly [tools: readonly string[], sentence: string])[] = [
  [
    ["edit", "write", "apply_patch"],
    "Read a file before you change it, and change as little as the task needs.",
  ],
  [["grep", "find", "ls"], "Search instead of guessing where something is."],
  [["process"], "What a command left running in the background you end once you are done with it."],
];

/**
 * Returns the system instructions for a model: where the session works, and the rules for its tools. The text is short, because
 * the model reads it in every step; the description of each tool is sent with the tool.
 *
 * @param session the session, or an object with its `tools`
 * @param place where the session works, for people: a folder
 */
export function agentInstructions(session: Pick<Session, "tools">, place?: string): string {
  const names = new Set(session.tools().map(({ name }) => name));
  const where = place === undefined ? "" : ` You work in ${place}; paths are relative to it.`;
  if (names.size === 0)
    return `You help a user on a terminal.${where} You have no tools, so say what you would need.`;
  const sentences = ABOUT.flatMap(([tools, sentence]) =>
    tools.some((name) => names.has(name)) ? [sentence] : [],
  );
  return [
    `You help a user on a terminal, with the tools you have.${where}`,
    ...sentences,
    "A call that was blocked or denied says why: do it another way or tell the user, and do not repeat it.",
    "Answer briefly, in plain text, and say what you changed.",
  ].join(" ");
}
