import type { InspectOptions } from "../../inspect/inspect.ts";
import { UsageError } from "../usage.ts";

export interface PageValues {
  act?: boolean | undefined;
  port?: string | undefined;
  listen?: string | undefined;
  origin?: string | undefined;
}

/** @throws UsageError */
export function pageOptions({ act, port, listen, origin }: PageValues): InspectOptions {
  if ((listen === undefined) !== (origin === undefined))
    throw new UsageError(
      `--listen and --origin go together: where the page listens, and by which https address of your own server it is reached. ${listen === undefined ? "--listen" : "--origin"} is missing.`,
    );
  const number = port === undefined ? undefined : Number(port);
  if (number !== undefined && (!/^\d{1,5}$/.test(port!) || number > 65_535))
    throw new UsageError(`--port is a number from 0 to 65535; got "${port}".`);
  return {
    ...(act === true && { act }),
    ...(number !== undefined && { port: number }),
    ...(listen !== undefined && { listen }),
    ...(origin !== undefined && { origin }),
  };
}
