import { keepCompiled } from "../keep-compiled.ts";

// A program of its own, which agents start before each call: it loads what decides, and all else only when it is needed.
keepCompiled();
try {
  const { answerHook } = await import("../../guard/hook/answer-hook.ts");
  const late = async () => (await import("../../guard/hook/late-parts.ts")).lateParts;
  process.exitCode = await answerHook(process.argv.slice(2), late);
} catch (thrown) {
  process.getBuiltinModule("node:fs").writeSync(2, `Haft denies this call: ${String(thrown)}\n`);
  process.exitCode = 2;
}
// What a late answer left running is nobody's business any more.
process.exit();
