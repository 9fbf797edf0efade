import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { dockerError } from "../errors.ts";
import { type Engine, EngineError } from "./engine/engine.ts";

/** Needs no registry: this machine's `/usr` is mounted over its empty folders. Needs an Engine on this machine. */
export const HOST_USR_IMAGE = "haft/host-usr";

const FOLDERS = [
  "dev",
  "proc",
  "sys",
  "run",
  "tmp",
  "usr",
  "var",
  "opt",
  "etc",
  "root",
  "home",
  "mnt",
  "workspace",
];
/** Required and without secrets. */
const SHOWN = ["/usr", "/etc/alternatives", "/etc/ssl/certs", "/etc/ld.so.cache"];

export function isHostUsrImage(image: string): boolean {
  return image === HOST_USR_IMAGE || image === `${HOST_USR_IMAGE}:latest`;
}

export function hostUsrMounts(): string[] {
  return SHOWN.filter((path) => existsSync(path));
}

/** Podman gives a private workspace the owner and mode of the image's folder. */
export async function createHostUsrImage(
  engine: Engine,
  isPodman: boolean,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await engine.call("GET", `/images/${HOST_USR_IMAGE}/json`, { signal });
    return;
  } catch (thrown) {
    if (!(thrown instanceof EngineError) || thrown.status !== 404) throw thrown;
  }
  const archive = createTar(skeleton(isPodman));
  const query = `fromSrc=-&repo=${encodeURIComponent(HOST_USR_IMAGE)}&tag=latest`;
  await engine.call("POST", `/images/create?${query}`, { archive, signal });
}

function skeleton(isPodman: boolean): TarEntry[] {
  const forEverybody = isPodman ? ["tmp", "workspace"] : ["tmp"];
  if (process.platform !== "linux" || !lstatSync("/bin").isSymbolicLink()) {
    const why = "the image haft/host-usr needs a Linux with all programs in /usr";
    throw dockerError("SANDBOX_UNSUPPORTED", why, "Name another image, for example one with Node.");
  }
  return [
    ...FOLDERS.map((path) => ({ path, ...(forEverybody.includes(path) ? { mode: 0o1777 } : {}) })),
    // Docker mounts its init here.
    { path: "sbin" },
    ...SHOWN.filter((path) => path !== "/usr").flatMap(toEntries),
    ...["bin", "lib", "lib32", "lib64", "libx32"].flatMap((name): TarEntry[] => {
      const stats = lstatSync(`/${name}`, { throwIfNoEntry: false });
      return stats?.isSymbolicLink() === true ? [{ path: name, link: readlinkSync(`/${name}`) }] : [];
    }),
    {
      path: "etc/passwd",
      content: "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
    },
    { path: "etc/group", content: "root:x:0:\nnogroup:x:65534:\n" },
  ];
}

function toEntries(path: string): TarEntry[] {
  const inside = path.slice(1);
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === true) return [{ path: inside, content: "" }];
  const parent = inside.slice(0, inside.lastIndexOf("/"));
  return parent === "etc" ? [{ path: inside }] : [{ path: parent }, { path: inside }];
}

export interface TarEntry {
  path: string;
  mode?: number;
  content?: string | Uint8Array;
  link?: string;
}

const BLOCK = 512;

export function createTar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? "");
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [headerOf(entry, content.length), content, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function headerOf({ path, mode, content, link }: TarEntry, size: number): Buffer {
  const isFolder = content === undefined && link === undefined;
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number): void =>
    void header.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
  header.write(isFolder ? `${path}/` : path, 0, 100);
  octal(mode ?? (isFolder ? 0o755 : 0o644), 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  header.fill(" ", 148, 156);
  header.write(isFolder ? "5" : link === undefined ? "0" : "2", 156);
  if (link !== undefined) header.write(link, 157, 100);
  header.write("ustar\x0000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}
