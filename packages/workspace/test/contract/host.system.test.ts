import { EACH_START_MODE } from "../processes/support.ts";
import { openHost } from "./open-host.ts";
import { processContract } from "./processes.ts";

for (const { name, options } of EACH_START_MODE) {
  const without = "startedBy" in options ? (["a second look at fences"] as const) : [];
  processContract(`the host, ${name}`, () => openHost(options), { without, oneIn: 4 });
}
