import type { SessionFacts } from "@haft/core";
import type { ToolDefinition } from "@haft/core/kernel";

/** Several clients cut what is longer. */
const MOST_CHARACTERS = 2_000;

/** What a model is to know of these tools beside their descriptions; made of the tools that the session has. */
export function instructionsFor(tools: readonly ToolDefinition[], facts: SessionFacts): string {
  const names = new Set(tools.map(({ name }) => name));
  const has = (...wanted: string[]) => wanted.filter((name) => names.has(name));
  const reading = has("read", "ls", "find", "grep");
  const changing = has("edit", "apply_patch", "write");
  const lines = [
    "Haft's tools work in one folder, the workspace. Paths are relative to it.",
    reading.length > 0 &&
      `Look with ${list(reading)}. What is long comes in pages; the end of a result says how to read on.`,
    changing.length > 0 &&
      `Change files with ${list(changing)}. A change happens in full or not at all, and keeps line ends as they are.`,
    names.has("exec") &&
      `Run commands with exec.${names.has("process") ? " One that takes longer goes on in the background: follow it with process." : ""} Where commands are contained, what meets a wall says which one, and how to ask for more.`,
    facts.sandbox !== undefined &&
      "All of it happens in a sandbox; nothing of the machine around it is there.",
    "A call may have to be approved by a person. Its result then says that it waits, and under which id: say so, do not try it another way, and make the same call once more when you are told that it was decided.",
    "A refused call says which rule refused it and what would change that; that is for the user to decide.",
  ];
  return lines
    .filter((line) => line !== false)
    .join("\n")
    .slice(0, MOST_CHARACTERS);
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
