import { getErrorMessage } from "@haft/core";
import { readRegularFile } from "@haft/system";
import { statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { pluginLoaderError } from "../errors.ts";

/** Bytes, packed and unpacked. Plugins are about a thousandth of that. */
const LARGEST = 256 * 1024 * 1024;
/** Bytes of a header and of each block. */
const BLOCK = 512;

/** A few old packages have capitals. */
const NAME = /^(?:@[\w~-][\w.~-]*\/)?[\w~][\w.~-]*$/;
const VERSION = /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/;

export interface PackageIdentity {
  name: string;
  version: string;
}

/**
 * Does not unpack the package (`.tgz`).
 *
 * @throws HaftError `PACKAGE_INVALID`
 */
export function readArchive(path: string): PackageIdentity {
  const refuse = (why: string, cause?: unknown) =>
    pluginLoaderError("PACKAGE_INVALID", `${path} is not a package: ${why}.`, {
      fix: "Make one with npm pack, in the folder of the plugin.",
      cause,
    });
  let bytes: Buffer;
  try {
    if (statSync(path).size > LARGEST) throw new Error("it is larger than 256 MiB");
    bytes = gunzipSync(readRegularFile(path, { maxBytes: LARGEST, followLink: true }), {
      maxOutputLength: LARGEST,
    });
  } catch (thrown) {
    throw refuse(getErrorMessage(thrown).replace(/\.$/, ""), thrown);
  }
  const text = manifestIn(bytes);
  if (text === undefined) throw refuse("it has no package.json in its folder");
  return readIdentity(text, refuse);
}

function readIdentity(text: string, refuse: (why: string) => Error): PackageIdentity {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (thrown) {
    throw refuse(`its package.json cannot be read: ${getErrorMessage(thrown)}`);
  }
  const { name, version } = (manifest ?? {}) as { name?: unknown; version?: unknown };
  if (typeof name !== "string" || name === "") throw refuse("its package.json has no name");
  if (typeof version !== "string" || version === "") throw refuse("its package.json has no version");
  // Names become file names.
  if (!NAME.test(name)) throw refuse(`${JSON.stringify(name)} is not the name of a package`);
  if (!VERSION.test(version)) throw refuse(`${JSON.stringify(version)} is not a version`);
  return { name, version };
}

function manifestIn(tar: Buffer): string | undefined {
  for (let at = 0; at + BLOCK <= tar.length;) {
    const name = textAt(tar, at, 100);
    const size = Number.parseInt(textAt(tar, at + 124, 12).trim() || "0", 8);
    if (name === "" || !Number.isSafeInteger(size)) return undefined;
    const content = at + BLOCK;
    if (/^[^/]+\/package\.json$/.test(name)) return tar.toString("utf8", content, content + size);
    at = content + Math.ceil(size / BLOCK) * BLOCK;
  }
  return undefined;
}

function textAt(tar: Buffer, at: number, length: number): string {
  return tar.toString("utf8", at, at + length).replace(/\0.*$/s, "");
}
