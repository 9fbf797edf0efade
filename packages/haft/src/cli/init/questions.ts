import { styleText } from "node:util";
import { type Terminal, withLines } from "../approvals/find-terminal.ts";
import { UsageError } from "../usage.ts";

export class QuestionsCancelled extends Error {}

export interface Question<Answer> {
  text: string;
  choices: readonly string[];
  byDefault: string;
  /** @throws UsageError: prints its message and asks again */
  read: (text: string) => Answer;
}

/** @throws QuestionsCancelled at Ctrl-C, Ctrl-D and a closed terminal */
export type Ask = <Answer>(question: Question<Answer>) => Promise<Answer>;

export function withQuestions<T>(terminal: Terminal, work: (ask: Ask) => Promise<T>): Promise<T> {
  const { output } = terminal;
  return withLines(terminal, (lines, closed) => {
    let count = 0;
    return work(async ({ text, choices, byDefault, read }) => {
      const title = styleText("bold", `${++count}. ${text}`, { stream: output });
      output.write(`\n${title}\n${choices.map((line) => `   ${line}\n`).join("")}`);
      for (;;) {
        const typed = lines.question(`   [${byDefault === "" ? "none" : byDefault}] > `);
        const answer = await Promise.race([typed.catch(() => undefined), closed]);
        if (answer === undefined) throw new QuestionsCancelled("The questions were ended.");
        try {
          return read(answer.trim() === "" ? byDefault : answer.trim());
        } catch (thrown) {
          if (!(thrown instanceof UsageError)) throw thrown;
          output.write(`   ${thrown.message}\n`);
        }
      }
    });
  });
}
