import { answerHook } from "../../guard/hook/answer-hook.ts";
import { answerInside } from "../../guard/hook/answer-inside.ts";
import { INSIDE } from "../../guard/hook/inside.ts";

// What agents start before each call, loaded by its starter: it decides, and loads all else only when it is needed.
const late = async () => (await import("../../guard/hook/late-parts.ts")).lateParts;
const [first, ...rest] = process.argv.slice(2);
if (first === INSIDE) answerInside(rest, late);
else
  void answerHook(process.argv.slice(2), late).then(
    // What a late answer left running is nobody's business any more.
    (code) => process.exit(code),
    (thrown: unknown) => {
      process.getBuiltinModule("node:fs").writeSync(2, `Haft denies this call: ${String(thrown)}\n`);
      process.exit(2);
    },
  );
