import type { McpServerSettings } from "@haft/config/internal/settings";
import { type KnownServer, VARIABLE } from "./known-servers.ts";

/** Characters; redacting shorter values such as `test` would spoil texts. */
const SHORTEST = 8;
const NAMES_SECRET = /token|secret|passw|pwd|key|authorization|credential|cookie/i;
/** Numbers, words, versions, paths and addresses without a user are common. */
const NO_SECRET =
  /^(?:[\d.,:-]+|[A-Za-z]+(?:[-_. ][A-Za-z]+)*|[~.]{0,2}\/.*|[A-Za-z]:\\.*|https?:\/\/[^@?]*)$/s;

/** Returns secret values from servers' settings and from variables that they name, without values that cannot be secret. */
export function listServerSecrets(servers: readonly Pick<KnownServer, "settings">[]): string[] {
  const found = new Set<string>();
  for (const { settings } of servers)
    for (const [name, value] of valuesOf(settings)) {
      const bare = value.replace(/^(?:Bearer|Basic|Token|ApiKey) +/i, "");
      if (mayBeSecret(name, bare)) found.add(bare);
    }
  return [...found];
}

function valuesOf({
  command,
  args,
  url,
  env,
  headers,
  oauth,
}: McpServerSettings): [name: string, value: string][] {
  const named = [env, headers, oauth].flatMap((values): [string, string][] => Object.entries(values ?? {}));
  const texts = [command, url, ...(args ?? []), ...named.map(([, value]) => value)];
  const variables = texts.flatMap((text) =>
    [...(text ?? "").matchAll(VARIABLE)].map(([, variable = "", otherwise = ""]): [string, string] => [
      variable,
      process.env[variable] ?? otherwise,
    ]),
  );
  const whole = named.map(([name, value]): [string, string] => [
    name,
    value.replaceAll(
      VARIABLE,
      (_all, variable: string, otherwise = "") => process.env[variable] ?? otherwise,
    ),
  ]);
  return [...variables, ...whole];
}

function mayBeSecret(name: string, value: string): boolean {
  if (value.length < SHORTEST) return false;
  return NAMES_SECRET.test(name) ? !/^[~.]{0,2}\/.*$/s.test(value) : !NO_SECRET.test(value);
}
