import { EACH_WAY } from "../processes/support.ts";
import { openHost } from "./open-host.ts";
import { processContract } from "./processes.ts";

for (const { name, options } of EACH_WAY) processContract(`the host, ${name}`, () => openHost(options));
