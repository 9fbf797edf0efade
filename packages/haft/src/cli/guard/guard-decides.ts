import { answerHook } from "../../guard/hook/answer-hook.ts";
import { INSIDE, SERVED } from "../../guard/hook/inside.ts";

// What agents start before each call, loaded by its starter: it decides, and loads all else only when it is needed.
const late = async () => (await import("../../guard/hook/late-parts.ts")).lateParts;
const [first, ...rest] = process.argv.slice(2);
if (first === INSIDE)
  void import("../../guard/hook/answer-inside.ts").then(({ answerInside }) => answerInside(rest, late));
else
  void answer().then(
    // What a late answer left running is nobody's business any more.
    (code) => process.exit(code),
    (thrown: unknown) => {
      process.getBuiltinModule("node:fs").writeSync(2, `Haft denies this call: ${String(thrown)}\n`);
      process.exit(2);
    },
  );

async function answer(): Promise<number> {
  if (first !== SERVED) return answerHook(process.argv.slice(2), late);
  const { answerMcp } = await import("../../guard/hook/answer-mcp.ts");
  await answerMcp(rest, late);
  return 0;
}
