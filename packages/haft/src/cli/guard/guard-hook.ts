import { INSIDE } from "../../guard/hook/inside.ts";
import { keepCompiled } from "../keep-compiled.ts";

// What agents start before each call: it has Node keep what it makes of the program that decides, and loads that. Where it is a thread
// of an agent, it starts once, and what Node keeps is the agent's to say.
if (process.argv[2] !== INSIDE) keepCompiled();
import("./guard-decides.ts").catch((thrown: unknown) => {
  process.getBuiltinModule("node:fs").writeSync(2, `Haft denies this call: ${String(thrown)}\n`);
  process.exit(2);
});
