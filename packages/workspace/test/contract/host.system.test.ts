import { EACH_WAY } from "../processes/support.ts";
import { openHost } from "./open-host.ts";
import { processContract } from "./processes.ts";

for (const { name, options } of EACH_WAY) {
  const without = "startedBy" in options ? (["a second look at fences"] as const) : [];
  processContract(`the host, ${name}`, () => openHost(options), { without, oneIn: 4 });
}
