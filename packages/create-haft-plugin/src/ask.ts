import { createInterface } from "node:readline/promises";
import { checkEffects, checkName, checkTool, EFFECTS, planOf, type Wishes, WishError } from "./plan.ts";

/** Asks for what was not said, one question after the other; an answer that cannot be is asked for again. */
export async function askFor(wishes: Partial<Wishes>, signal: AbortSignal): Promise<Wishes> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  terminal.once("SIGINT", () => process.emit("SIGINT"));
  const ask = async (
    question: string,
    usual: string,
    check: (answer: string) => unknown,
  ): Promise<string> => {
    for (;;) {
      const answer = (await terminal.question(`${question} (${usual}): `, { signal })).trim() || usual;
      try {
        check(answer);
        return answer;
      } catch (thrown) {
        if (!(thrown instanceof WishError)) throw thrown;
        process.stdout.write(`  ${thrown.message}\n`);
      }
    }
  };
  try {
    const name = wishes.name ?? (await ask("Name of the package", "haft-plugin-example", checkName));
    const usual = planOf({ name });
    const description =
      wishes.description ??
      (await ask("What it is for", usual.description, (text) => planOf({ name, description: text })));
    const tool = wishes.tool ?? (await ask("Name of its first tool", usual.tool, checkTool));
    const effects =
      wishes.effects ?? (await ask(`What that does: ${EFFECTS.join(", ")}`, "read", checkEffects));
    return { name, description, tool, effects };
  } finally {
    terminal.close();
  }
}
