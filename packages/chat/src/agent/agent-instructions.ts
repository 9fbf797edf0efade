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
 * What a model is told of a session before all: where it works, and what its tools ask of it. Short, since it is read with
 * every answer; what each tool does stands with the tool.
 *
 * @param session the tools it has now
 * @param place where it works, for people: a folder
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
