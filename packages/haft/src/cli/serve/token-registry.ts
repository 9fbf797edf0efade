import type { SecretSource } from "@haft/config/internal/settings";
import { attempt, PrivateFolder } from "@haft/system";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { commandError } from "../../errors.ts";

/** Shorter tokens are guessable. */
const LEAST_CHARACTERS = 24;
const GROUP_AND_OTHERS = 0o077;
const MAX_BYTES = 4_096;

interface Entry {
  readonly name: string;
  readonly place: SecretSource;
  stamp?: string | undefined;
  digest?: Buffer | undefined;
}

/** Finds a token's name. A changed file revokes its previous token from the next request. */
export class TokenRegistry {
  readonly #entries: Entry[];

  /** @throws HaftError `CONFIG_INVALID` if a token is unreadable, too short or used twice */
  constructor(sources: Readonly<Record<string, SecretSource>>) {
    this.#entries = Object.entries(sources).map(([name, place]) => ({ name, place }));
    for (const entry of this.#entries) {
      read(entry);
      const duplicate = this.#entries.find(
        (one) => one !== entry && one.digest !== undefined && same(one.digest, entry.digest!),
      );
      if (duplicate !== undefined)
        throw invalid(entry.name, `it equals the token ${duplicate.name}, so its session would be ambiguous`);
    }
  }

  digests(): Record<string, string> {
    return Object.fromEntries(this.#entries.map(({ name, digest }) => [name, digest?.toString("hex") ?? ""]));
  }

  findName(token: string | undefined): string | undefined {
    const wanted = digestOf(token ?? "");
    const found: string[] = [];
    for (const entry of this.#entries) {
      const isRead = attempt(() => read(entry)) !== undefined;
      if (isRead && same(entry.digest!, wanted)) found.push(entry.name);
    }
    // Equal tokens match no request.
    return found.length === 1 ? found[0] : undefined;
  }
}

/**
 * Creates a token file for an operator without configured tokens, once and atomically.
 *
 * @throws HaftError `STATE_FOLDER_…` if unwritable
 */
export function ensureOperatorToken(stateDir: string): string {
  const folder = new PrivateFolder(join(stateDir, "serve"));
  const file = join(folder.path, "token");
  if (attempt(() => statSync(file)) === undefined)
    folder.create("token", `${randomBytes(32).toString("base64url")}\n`);
  return file;
}

function read(entry: Entry): true {
  const { place, name } = entry;
  if ((place.file === undefined) === (place.env === undefined))
    throw invalid(name, "it needs either `file` or `env`");
  if (place.env !== undefined) {
    entry.digest ??= digestOf(checked(process.env[place.env] ?? "", name, `the variable ${place.env}`));
    return true;
  }
  const file = place.file!;
  let stats: ReturnType<typeof fstatSync>;
  let text: string;
  try {
    const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      stats = fstatSync(handle);
      const stamp = `${stats.ino}:${stats.mtimeMs}:${stats.size}:${stats.mode}`;
      if (stamp === entry.stamp) return true;
      entry.digest = undefined;
      entry.stamp = undefined;
      if (!stats.isFile() || stats.size > MAX_BYTES) throw new Error("it is not a token file");
      if ((stats.mode & GROUP_AND_OTHERS) !== 0)
        throw invalid(name, `${file} can be read by others`, `Run \`chmod 600 ${file}\`.`);
      text = readFileSync(handle, "utf8").trim();
      entry.stamp = stamp;
    } finally {
      closeSync(handle);
    }
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code === "CONFIG_INVALID") throw thrown;
    throw invalid(name, `${file} cannot be read: ${(thrown as Error).message}`);
  }
  if (text === "")
    throw invalid(
      name,
      `${file} is empty`,
      `If Haft created it, remove it: the next start creates another. Or run \`umask 077; openssl rand -base64 32 > ${file}\`.`,
    );
  entry.digest = digestOf(checked(text, name, file));
  return true;
}

function checked(token: string, name: string, where: string): string {
  if (token.length < LEAST_CHARACTERS || !/^[\w.~+/=-]+$/.test(token))
    throw invalid(
      name,
      `${where} has no token of ${LEAST_CHARACTERS} or more letters, digits or . _ ~ + / = -`,
    );
  return token;
}

function invalid(name: string, why: string, fix?: string) {
  return commandError("CONFIG_INVALID", `The token ${name} cannot be used: ${why}.`, {
    fix:
      fix ??
      "Write a token to a file that other users cannot read: `umask 077; openssl rand -base64 32 > FILE`.",
  });
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function same(one: Buffer, other: Buffer): boolean {
  return timingSafeEqual(one, other);
}
