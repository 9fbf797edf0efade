import { LEVELS } from "../support.ts";
import { fileContract } from "./files.ts";
import { openHost } from "./open-host.ts";

for (const level of LEVELS) fileContract(`the host, held by ${level.level}`, () => openHost({}, level));
