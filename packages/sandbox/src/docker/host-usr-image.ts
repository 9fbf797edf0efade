import { existsSync } from "node:fs";
import type { Engine } from "./engine.ts";
import { EngineError } from "./engine.ts";
import { HOST_USR } from "./failures.ts";

/** What the image takes from the machine it runs on: it has no programs of its own. */
export const HOST_USR_BINDS: readonly string[] = ["/usr", "/etc/alternatives", "/etc/ssl"].filter((path) =>
  existsSync(path),
);

const BLOCK = 512;
/** `/sbin` is a real folder: the Engine puts its init there. */
const FOLDERS = [
  "dev",
  "etc",
  "mnt",
  "opt",
  "opt/haft",
  "proc",
  "root",
  "sbin",
  "sys",
  "tmp",
  "usr",
  "workspace",
];
const LINKS: readonly (readonly [string, string])[] = [
  ["bin", "usr/bin"],
  ["lib", "usr/lib"],
  ["lib32", "usr/lib32"],
  ["lib64", "usr/lib64"],
];
const FILES: readonly (readonly [string, string])[] = [
  [
    "etc/passwd",
    "root:x:0:0:root:/root:/bin/sh\nhaft:x:1000:1000::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n",
  ],
  ["etc/group", "root:x:0:\nhaft:x:1000:\nnogroup:x:65534:\n"],
];

/**
 * Makes the image `haft/host-usr` where it is not there yet: a skeleton of a few hundred bytes, into which the
 * backend mounts this machine's own `/usr`, read-only. It needs no registry and has the host's programs.
 */
export async function ensureHostUsrImage(engine: Engine): Promise<void> {
  try {
    await engine.json({ path: `/images/${HOST_USR}/json` });
    return;
  } catch (thrown) {
    if (!(thrown instanceof EngineError) || thrown.status !== 404) throw thrown;
  }
  const changes = encodeURIComponent("ENV PATH=/usr/local/bin:/usr/bin:/bin");
  const path = `/images/create?fromSrc=-&repo=${HOST_USR}&tag=latest&changes=${changes}`;
  await engine.json({ method: "POST", path, body: skeleton(), limitMs: 60_000 }).catch((thrown: unknown) => {
    // Its progress is several JSON texts, one a line; that it came is success.
    if (!(thrown instanceof SyntaxError)) throw thrown;
  });
}

function skeleton(): Buffer {
  const parts = [
    ...FOLDERS.map((name) => header(`${name}/`, { type: "5", mode: name === "tmp" ? 0o1777 : 0o755 })),
    ...LINKS.map(([name, target]) => header(name, { type: "2", mode: 0o777, target })),
    ...FILES.flatMap(([name, content]) => {
      const padded = Buffer.alloc(Math.ceil(content.length / BLOCK) * BLOCK);
      padded.write(content);
      return [header(name, { type: "0", mode: 0o644, size: content.length }), padded];
    }),
  ];
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/** One entry of a tar archive (POSIX ustar). */
function header(name: string, entry: { type: string; mode: number; size?: number; target?: string }): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, "0")}\0`;
  block.write(name, 0);
  block.write(octal(entry.mode, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(entry.size ?? 0, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(" ".repeat(8), 148);
  block.write(entry.type, 156);
  block.write(entry.target ?? "", 157);
  block.write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
