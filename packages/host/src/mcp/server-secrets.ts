import type { McpServerSettings } from "@haft/config/internal/settings";
import { type KnownServer, VARIABLE } from "./known-servers.ts";

/** Characters. Shorter ones stand in too many texts, whatever they are called: `API_KEY=test` would cover every `test` that a tool shows. */
const SHORTEST = 8;
const NAMES_SECRET = /token|secret|passw|pwd|key|authorization|credential|cookie/i;
/** Numbers, words, versions, paths and addresses without a user: what many say, and what is no use to hide. */
const NO_SECRET =
  /^(?:[\d.,:-]+|[A-Za-z]+(?:[-_. ][A-Za-z]+)*|[~.]{0,2}\/.*|[A-Za-z]:\\.*|https?:\/\/[^@?]*)$/s;

/**
 * The values that servers are started and reached with, as far as they are there: what is written of them, and what variables
 * of Haft's own environment hold that they name. Those that cannot be secret are left out.
 */
export function listServerSecrets(servers: readonly Pick<KnownServer, "settings">[]): string[] {
  const found = new Set<string>();
  for (const { settings } of servers)
    for (const [name, value] of valuesOf(settings)) {
      // `Bearer …`: it is the rest that is secret.
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
