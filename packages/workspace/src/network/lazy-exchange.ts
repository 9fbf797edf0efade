import type { exchange as Exchange } from "./exchange.ts";

/** As `exchange`, which is loaded with the first one: HTTP, TLS and what unpacks take longer than all else here. */
export const exchange: typeof Exchange = async (request, connect) =>
  (await import("./exchange.ts")).exchange(request, connect);
