export interface Registries {
  text: string;
  /** With a port unless it is the usual one. */
  hosts: string[];
}

/** Extracts only registries, without users, queries and variables (`${TOKEN}`). A secret in a path is not recognizable. */
export function registryLines(npmrc: string): Registries {
  const found = npmrc.split(/\r?\n/).flatMap((line): [string, URL][] => {
    const [, key, quoted] = /^\s*(registry|@[\w.~-]+:registry)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const url = key === undefined ? undefined : plainAddress(quoted!.replace(/^(["'])(.*)\1$/, "$2"));
    return url === undefined ? [] : [[key!, url]];
  });
  return registries(
    found.map(([key, url]) => `${key}=${url.href}`),
    found.map(([, url]) => url),
  );
}

export function indexLines(pipConf: string): Registries {
  const addresses = new Map<string, URL[]>([
    ["index-url", []],
    ["extra-index-url", []],
  ]);
  let key = "";
  for (const line of pipConf.split(/\r?\n/)) {
    const [, named, first] = /^([\w-]+)\s*[=:]\s*(.*)$/.exec(line) ?? [];
    // An indented line continues the previous line.
    if (named !== undefined) key = named.toLowerCase().replaceAll("_", "-");
    else if (!/^\s+\S/.test(line)) key = "";
    const texts = (first ?? line).trim().split(/\s+/);
    for (const text of texts) addresses.get(key)?.push(...[plainAddress(text) ?? []].flat());
  }
  addresses.set("index-url", addresses.get("index-url")!.slice(-1));
  const lines = [...addresses].flatMap(([name, urls]) =>
    urls.length === 0 ? [] : [`${name} = ${urls.map(({ href }) => href).join("\n    ")}`],
  );
  return registries(lines.length === 0 ? [] : ["[global]", ...lines], [...addresses.values()].flat());
}

function plainAddress(text: string): URL | undefined {
  if (!/^https?:\/\/[!-~]+$/i.test(text) || text.includes("$") || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  for (const part of ["username", "password", "search", "hash"] as const) url[part] = "";
  return url;
}

function registries(lines: readonly string[], urls: readonly URL[]): Registries {
  return {
    text: lines.map((line) => `${line}\n`).join(""),
    hosts: [...new Set(urls.map(({ host }) => host))],
  };
}
