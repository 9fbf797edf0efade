import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A packed package, and what it is published as. */
export interface PublishedPackage {
  name: string;
  version: string;
  archive: string;
  /** What a registry tells of it besides. */
  manifest?: object;
  /** What is served instead of it, under its integrity. */
  instead?: string;
}

/** A registry of packages as npm asks for them, on this machine. Answers its address. */
export async function serveRegistry(published: readonly PublishedPackage[]): Promise<string> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "").slice(1);
    const file = published.find(({ name, version }) => path === `${name}/-/${version}.tgz`);
    if (file !== undefined) return void response.end(readFileSync(file.instead ?? file.archive));
    const versions = published.filter(({ name }) => name === path);
    if (versions.length === 0) {
      response.writeHead(404, { "content-type": "application/json" });
      return void response.end('{"error":"Not found"}');
    }
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(packument(path, versions, `http://${request.headers.host}`)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function packument(name: string, versions: readonly PublishedPackage[], at: string): object {
  const entries = versions.map(({ version, archive, manifest }) => {
    const dist = { integrity: computeIntegrity(archive), tarball: `${at}/${name}/-/${version}.tgz` };
    return [version, { name, version, ...manifest, dist }] as const;
  });
  return { name, "dist-tags": { latest: versions.at(-1)!.version }, versions: Object.fromEntries(entries) };
}

export function computeIntegrity(archive: string): string {
  return `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
}
