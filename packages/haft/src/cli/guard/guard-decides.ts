import { type Answered, answerHook, partsOf, runInTime } from "../../guard/hook/answer-hook.ts";
import { answerInside } from "../../guard/hook/answer-inside.ts";
import { readHookLine } from "../../guard/hook/hook-line.ts";
import { INSIDE, SERVED } from "../../guard/hook/inside.ts";

const late = async () => (await import("../../guard/hook/late-parts.ts")).lateParts;

/** What agents start before each call, loaded by its starter: it decides, and loads all else only when it is needed. */
export async function decides([first = "", ...rest]: readonly string[]): Promise<Answered | undefined> {
  switch (first) {
    case INSIDE:
      answerInside(rest, late);
      return undefined;
    case SERVED: {
      const line = readHookLine(rest);
      const parts = partsOf(late);
      const { answerMcp } = await import("../../guard/hook/late-parts.ts");
      await answerMcp((payload) => runInTime(line, async () => payload, parts));
      return { exitCode: 0 };
    }
    default:
      return answerHook([first, ...rest], late);
  }
}
