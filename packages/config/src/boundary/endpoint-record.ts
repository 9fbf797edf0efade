import { attempt, type ProcessIdentity, PrivateFolder, readRegularFile } from "@haft/system";
import { rmSync } from "node:fs";
import { join } from "node:path";

export interface EndpointRecord {
  /** An address of this machine only. */
  url: string;
  pid: number;
  started: number;
  places: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. Later changes of the rules are not included. */
  readAt: number;
  /** Maps the SHA-256 of each token to the absolute policy file that replaces the rules of the configuration. */
  tokens: Readonly<Record<string, { policy?: string }>>;
}

const OTHERS_WRITE = 0o022;

const folderOf = (stateDir: string) => join(stateDir, "serve");
/** A URL omits the default port of its protocol. */
const nameOf = ({ port }: URL) => `endpoint-${port || "80"}.json`;

export function writeEndpoint(stateDir: string, record: EndpointRecord): void {
  const text = `${JSON.stringify(record)}\n`;
  attempt(() => new PrivateFolder(folderOf(stateDir)).replace(nameOf(new URL(record.url)), text));
}

export function removeEndpoint(stateDir: string, { url, pid }: EndpointRecord): void {
  if (readEndpoint(stateDir, new URL(url))?.pid !== pid) return;
  attempt(() => rmSync(join(folderOf(stateDir), nameOf(new URL(url)))));
}

/** Returns nothing if another user could have written the record. The caller checks whether the endpoint still runs. */
export function readEndpoint(stateDir: string, url: URL): EndpointRecord | undefined {
  return attempt(() => {
    const bytes = readRegularFile(join(folderOf(stateDir), nameOf(url)), {
      check({ uid, mode }) {
        const isOwner = process.geteuid === undefined || uid === process.geteuid();
        if (!isOwner || (mode & OTHERS_WRITE) !== 0) throw new Error("another user may have written it");
      },
    });
    return JSON.parse(bytes.toString("utf8")) as EndpointRecord;
  });
}

export function parseEndpointOwner(
  name: string,
  read: () => string | undefined,
): ProcessIdentity | undefined {
  if (!/^endpoint-\d+\.json$/.test(name)) return undefined;
  const { pid, started } = (attempt(() => JSON.parse(read() ?? "{}") as unknown) ??
    {}) as Partial<EndpointRecord>;
  return Number.isInteger(pid) && Number.isInteger(started) ? { pid: pid!, started: started! } : undefined;
}
