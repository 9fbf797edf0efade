import { HaftError, type FileStat, requireKnownOptions, type Workspace } from "@haft/plugin-sdk";
import { posix } from "node:path";
import { fileType } from "../content/file-type.ts";
import { isShownImage } from "../images/image-facts.ts";

/** Describes a path and the folder that it is relative to. Default of the folder: the root of the workspace. */
export interface BridgePath {
  /** Contains an absolute path, relative path, or `file:` URL. */
  filePath: string;
  /** Contains the absolute path of the folder. */
  cwd?: string;
}

/**
 * Contains the file operations of a sandbox, with the names that tools of the OpenClaw family use. Each is one operation of the workspace,
 * and error codes.
 *
 * @example
 * ```ts
 * import type { SandboxBridge } from "@haft/tools-fs";
 * declare const bridge: SandboxBridge;
 * await bridge.writeFile({ filePath: "out/report.txt", data: "done\n" });
 * const { size } = (await bridge.stat({ filePath: "report.txt", cwd: "/workspace/out" })) ?? { size: 0 };
 * ```
 */
export interface SandboxBridge {
  /** Returns the absolute path in the sandbox. The file need not exist. */
  resolvePath(at: BridgePath): string;
  /** Returns the whole content. */
  readFile(at: BridgePath): Promise<Buffer>;
  /** Writes a file. Creates missing folders unless `mkdir` is `false`. */
  writeFile(
    at: BridgePath & { data: string | Uint8Array; encoding?: BufferEncoding; mkdir?: boolean },
  ): Promise<void>;
  /** Creates a folder and all missing folders above it. */
  mkdirp(at: BridgePath): Promise<void>;
  /** Removes a file or folder. `recursive` includes its content, `force` permits a missing file. */
  remove(at: BridgePath & { recursive?: boolean; force?: boolean }): Promise<void>;
  /** Renames a file or folder. Fails if `to` exists. */
  rename(at: { from: string; to: string; cwd?: string }): Promise<void>;
  /** Returns facts, `size` in bytes and `mtimeMs` in milliseconds since the epoch, or `null` if nothing exists. */
  stat(
    at: BridgePath,
  ): Promise<{ type: "file" | "directory" | "other"; size: number; mtimeMs: number } | null>;
}

/**
 * Returns the file operations of a workspace under these names.
 *
 * @example
 * ```ts run
 * import { createSandboxBridge } from "@haft/tools-fs";
 * import { createHostWorkspace } from "@haft/workspace";
 * const bridge = createSandboxBridge(createHostWorkspace({ root: process.cwd() }));
 * await bridge.writeFile({ filePath: "logs/build.txt", data: "ok" });
 * String(await bridge.readFile({ filePath: "logs/build.txt" })); // => "ok"
 * ```
 */
export function createSandboxBridge(workspace: Workspace): SandboxBridge {
  const { fs } = workspace;
  const resolvePath = ({ filePath, cwd = workspace.describe().cwd }: BridgePath): string =>
    posix.isAbsolute(filePath) || /^file:\/\//i.test(filePath) ? filePath : posix.resolve(cwd, filePath);
  const removeTree = async (path: string): Promise<void> => {
    const found = await fs.stat(path, { follow: false });
    if (found?.type === "directory") {
      for (;;) {
        const { entries, truncated } = await fs.list(path);
        for (const { name } of entries) await removeTree(posix.join(path, name));
        if (!truncated) break;
      }
    }
    await fs.remove(path);
  };
  return {
    resolvePath,
    async readFile(at) {
      const { bytes } = await fs.read(resolvePath(at));
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    async writeFile({ data, encoding = "utf8", mkdir = true, ...at }) {
      const bytes = typeof data === "string" ? Buffer.from(data, encoding) : data;
      await fs.write(resolvePath(at), bytes, { parents: mkdir });
    },
    mkdirp: async (at) => void (await fs.mkdirp(resolvePath(at))),
    async remove({ recursive = false, force = false, ...at }) {
      const path = resolvePath(at);
      try {
        await (recursive ? removeTree(path) : fs.remove(path));
      } catch (thrown) {
        if (!(force && HaftError.is(thrown) && thrown.code === "FILE_NOT_FOUND")) throw thrown;
      }
    },
    rename: ({ from, to, cwd }) => {
      const within = cwd === undefined ? {} : { cwd };
      return fs.rename(resolvePath({ filePath: from, ...within }), resolvePath({ filePath: to, ...within }));
    },
    async stat(at) {
      const found = await fs.stat(resolvePath(at));
      return found === undefined ? null : { type: typeOf(found), size: found.size, mtimeMs: found.mtimeMs };
    },
  };
}

function typeOf({ type }: FileStat): "file" | "directory" | "other" {
  return type === "file" || type === "directory" ? type : "other";
}

/**
 * Returns the operations for a `read` tool of the OpenClaw family.
 *
 * @example
 * ```ts
 * import { createSandboxReadOperations, type SandboxBridge } from "@haft/tools-fs";
 * declare const bridge: SandboxBridge;
 * const operations = createSandboxReadOperations({ bridge, root: "/workspace" });
 * const bytes = await operations.readFile("/workspace/package.json");
 * ```
 */
export function createSandboxReadOperations(params: { bridge: SandboxBridge; root: string }) {
  const { bridge, root } = requireParams("createSandboxReadOperations", params);
  const at = (absolutePath: string): BridgePath => ({ filePath: absolutePath, cwd: root });
  const readFile = (absolutePath: string) => bridge.readFile(at(absolutePath));
  return {
    readFile,
    /** Rejects with `ENOENT`, like Node, if nothing exists. */
    async access(absolutePath: string): Promise<void> {
      if ((await bridge.stat(at(absolutePath))) !== null) return;
      const message = `ENOENT: no such file or directory, access '${absolutePath}'`;
      throw Object.assign(new Error(message), { code: "ENOENT", path: absolutePath });
    },
    /** Detects the type by content. `undefined` for images that cannot be displayed. */
    async detectImageMimeType(absolutePath: string): Promise<string | undefined> {
      const type = fileType(await readFile(absolutePath));
      return type !== undefined && isShownImage(type.mimeType) ? type.mimeType : undefined;
    },
  };
}

/**
 * Returns the operations for a `write` tool of the OpenClaw family.
 *
 * @example
 * ```ts
 * import { createSandboxWriteOperations, type SandboxBridge } from "@haft/tools-fs";
 * declare const bridge: SandboxBridge;
 * const operations = createSandboxWriteOperations({ bridge, root: "/workspace" });
 * await operations.mkdir("/workspace/dist");
 * await operations.writeFile("/workspace/dist/version.txt", "1.4.0\n");
 * ```
 */
export function createSandboxWriteOperations(params: { bridge: SandboxBridge; root: string }) {
  const { bridge, root } = requireParams("createSandboxWriteOperations", params);
  return {
    mkdir: (dir: string) => bridge.mkdirp({ filePath: dir, cwd: root }),
    writeFile: (absolutePath: string, content: string) =>
      bridge.writeFile({ filePath: absolutePath, cwd: root, data: content }),
  };
}

/**
 * Returns the operations for an `edit` tool of the OpenClaw family.
 *
 * @example
 * ```ts
 * import { createSandboxBridge, createSandboxEditOperations } from "@haft/tools-fs";
 * import type { SandboxWorkspace } from "@haft/sandbox";
 * declare const sandbox: SandboxWorkspace;
 * const bridge = createSandboxBridge(sandbox);
 * const { access } = createSandboxEditOperations({ bridge, root: "/workspace" });
 * await access("/workspace/src/main.py");
 * ```
 */
export function createSandboxEditOperations(params: { bridge: SandboxBridge; root: string }) {
  requireParams("createSandboxEditOperations", params);
  const { writeFile: write } = createSandboxWriteOperations(params);
  return { ...createSandboxReadOperations(params), writeFile: write };
}

function requireParams<Params extends { bridge: SandboxBridge; root: string }>(
  where: string,
  params: Params,
): Params {
  requireKnownOptions<{ bridge: SandboxBridge; root: string }>(where, params, { bridge: true, root: true });
  return params;
}
