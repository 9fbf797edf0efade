import { onTestFinished } from "vitest";
import type { HostOptions } from "../../src/host/host-options.ts";
import { createHost, type Host } from "../../src/host/host.ts";

/** A host without an administrator's rules, closed after the test. */
export async function openHost(options: HostOptions): Promise<Host> {
  const host = await createHost({ administratorPolicy: false, ...options });
  onTestFinished(() => host.close());
  return host;
}
