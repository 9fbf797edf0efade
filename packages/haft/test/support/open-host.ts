import { onTestFinished } from "vitest";
import { createHost, type Host, type HostOptions } from "../../src/index.ts";

/** A host without an administrator's rules, closed after the test. */
export async function openHost(options: HostOptions): Promise<Host> {
  const host = await createHost({ administratorPolicy: false, ...options });
  onTestFinished(() => host.close());
  return host;
}
