import { type HostOptions, createHost, type Host } from "@haft/host";

export async function withHost<T>(options: HostOptions, work: (host: Host) => Promise<T>): Promise<T> {
  const host = await createHost(options);
  try {
    return await work(host);
  } finally {
    await host.close();
  }
}
