import type { HostOptions } from "../host/host-options.ts";
import { createHost, type Host } from "../host/host.ts";

export async function withHost<T>(options: HostOptions, work: (host: Host) => Promise<T>): Promise<T> {
  const host = await createHost(options);
  try {
    return await work(host);
  } finally {
    await host.close();
  }
}
