import type { AdministratorPolicy, KeyPath, PolicyConfig, PolicyProblem, SourceMap } from "@haft/policy";
import { IrregularFileError, readRegularFile } from "@haft/system";
import { readFileSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import type { Alias, Node, Pair, YAMLMap } from "yaml";
import { getMachinePolicyPath } from "../boundary/configuration-paths.ts";
import { configError } from "../errors.ts";
import { checkYaml, COMMENTS, TOO_DEEP } from "./check-yaml.ts";
import { withScopeFiles } from "./scope-files.ts";

/**
 * Contains a policy file, with the lines of its keys.
 *
 * @example
 * ```ts
 * import { type PolicyText, readPolicyFile } from "@haft/config";
 * const { config, files }: PolicyText = await readPolicyFile("policy.yaml");
 * console.log(Object.keys(config), "and rules in", files);
 * ```
 */
export interface PolicyText {
  /** Contains unchecked rules, for the option `policy` of a host. */
  config: PolicyConfig;
  /** Maps keys to lines, for the option `policyPositions` of a host. */
  positions: SourceMap;
  /** Lists the named files. */
  files: readonly string[];
}

/**
 * Reads YAML, or JSON, which is a subset of YAML (comments begin with `#` in both, and a comma may precede a bracket). A duplicate key is
 * an error with its line; a plain JSON parser would ignore the first.
 *
 * @returns the content, or every reason why it cannot be read
 */
export async function readYamlFile(
  path: string,
): Promise<{ value: unknown; positions: SourceMap } | { problems: PolicyProblem[] }> {
  return readYamlBytes(() => (isHandedOver(path) ? readFileSync(path) : readNamed(path)));
}

/** The name may come from an untrusted text, so only a regular file of at most 1 MiB is accepted. */
function readNamed(path: string): Buffer {
  return readRegularFile(path, { followLink: true });
}

function isHandedOver(path: string): boolean {
  return /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/.test(path);
}

async function readYamlBytes(read: () => Buffer): ReturnType<typeof readYamlFile> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(read());
  } catch (thrown) {
    return whole(`cannot read it: ${explainReadError(thrown)}.`);
  }
  return readYaml(text);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "this user may not read it",
  ELOOP: "its link leads back to itself",
};

/** The reason is the end of a sentence. */
export function explainReadError(thrown: unknown): string {
  if (thrown instanceof TypeError) return "it is not UTF-8";
  if (thrown instanceof IrregularFileError)
    return `it${thrown.message.slice(thrown.path.length)}`.replace(
      /a folder, .*/,
      "a folder; name a file in it",
    );
  const { code = "", message } = thrown as NodeJS.ErrnoException;
  return REASONS[code] ?? message;
}

export async function readYaml(text: string): ReturnType<typeof readYamlFile> {
  try {
    return await readDocument(text);
  } catch (thrown) {
    if (thrown instanceof RangeError) return whole(TOO_DEEP);
    throw thrown;
  }
}

async function readDocument(text: string): ReturnType<typeof readYamlFile> {
  if (hasManyBlankLines(text)) return whole(`it has more than ${MAX_BLANK_LINES} blank lines in a row.`);
  const yaml = await import("yaml");
  await turn();
  const { isAlias, isMap, isScalar, isSeq } = yaml;
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { uniqueKeys: false, prettyErrors: false, lineCounter: lines });
  await turn();
  const hint = hintFor(text);
  const lineAt = (offset: number | undefined) => lines.linePos(offset ?? 0).line;
  const problems: PolicyProblem[] = [...document.errors, ...document.warnings].map(
    ({ code, message, pos }) => {
      if (/call stack/.test(message)) throw new RangeError(message);
      const why = /multiple documents/.test(message)
        ? "it is more than one document, and --- begins another one; put everything into one."
        : `it is not valid YAML: ${advise(code)} The parser reports: ${message.replace(/\.+$/, "")}.${hint}`;
      return { path: "", line: lineAt(pos[0]), message: why };
    },
  );
  if (problems.length > 0) return { problems: keepFirstOfEachLine(problems) };
  for (const { message, offset } of checkYaml(document, yaml))
    problems.push({ path: "", line: lineAt(offset), message });
  if (problems.length > 0) return { problems };
  if (document.contents === null) return whole("it is empty. Write {} for a file without rules.");
  if (isScalar(document.contents) && hint !== "") return whole(`it cannot be read as rules.${hint}`);
  let value: unknown;
  try {
    // Nested aliases could expand to a gigabyte.
    value = document.toJS({ maxAliasCount: 100 });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return whole(
      `it cannot be read: ${why.replace(/\.+$/, "")}. Put a text that begins with * in quotes: "*".`,
    );
  }

  const pairs = new WeakMap<YAMLMap, Map<string, Pair>>();
  const pairOf = (map: YAMLMap, key: string) => {
    let byKey = pairs.get(map);
    if (byKey === undefined) {
      byKey = new Map(
        map.items.flatMap((item) => (isScalar(item.key) ? [[String(item.key.value), item]] : [])),
      );
      pairs.set(map, byKey);
    }
    return byKey.get(key);
  };
  const anchored = new Map<Alias, unknown>();
  const behind = (alias: Alias): unknown => {
    if (!anchored.has(alias)) anchored.set(alias, alias.resolve(document));
    return anchored.get(alias);
  };
  const positions: SourceMap = (path: KeyPath) => {
    let node: unknown = document.contents;
    let offset: number | undefined;
    for (const key of path) {
      if (isAlias(node)) node = behind(node);
      if (isMap(node)) {
        const pair = pairOf(node, String(key));
        if (pair === undefined) break;
        offset = startOf(pair.key) ?? offset;
        node = pair.value;
      } else if (isSeq(node) && typeof key === "number" && key < node.items.length) {
        node = node.items[key];
        offset = startOf(node) ?? offset;
      } else break;
    }
    return offset === undefined ? undefined : lineAt(offset);
  };
  await turn();
  return { value, positions };
}

const MAX_BLANK_LINES = 1000;

function advise(code: string): string {
  switch (code.toLowerCase()) {
    case "block_as_implicit_key":
      return "put a text that contains a colon in quotes, or correct the indentation.";
    case "tab_as_indent":
      return "indent with spaces, not with tabs.";
    case "missing_char":
      return "add the missing bracket, quote or colon, on this line or on a line before it.";
    default:
      return "check the indentation, the brackets and the quotes of this line and of the line before it.";
  }
}

function hasManyBlankLines(text: string): boolean {
  let inRow = 0;
  for (const line of text.split(/\r\n?|\n/)) {
    inRow = line.trim() === "" ? inRow + 1 : 0;
    if (inRow > MAX_BLANK_LINES) return true;
  }
  return false;
}

/** One mistake often makes the parser report more problems on the same line. */
function keepFirstOfEachLine(problems: readonly PolicyProblem[]): PolicyProblem[] {
  const seen = new Set<number | undefined>();
  return problems.filter(({ line }) => !seen.has(line) && seen.add(line));
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}

function hintFor(text: string): string {
  return /^\s*(?:\/\/|\/\*)|[,{[\]}]\s*(?:\/\/|\/\*)/m.test(text) ? COMMENTS : "";
}

function whole(message: string): { problems: PolicyProblem[] } {
  return { problems: [{ path: "", message }] };
}

/**
 * Reads a policy file, YAML or JSON, with the files that it names. The host checks the rules.
 *
 * @throws HaftError `POLICY_UNREADABLE` with path and line
 * @example
 * ```ts
 * import { readPolicyFile } from "@haft/config";
 * import { createHost } from "@haft/host";
 * const { config: policy, positions: policyPositions } = await readPolicyFile("policy.yaml");
 * const host = await createHost({ policy, policyPositions, policySource: "policy.yaml" });
 * ```
 */
export async function readPolicyFile(path: string): Promise<PolicyText> {
  return withScopeFiles(policyTextOf(path, await readYamlFile(path)), path, (each) => readPolicyText(each));
}

export interface TextSource {
  /** @throws HaftError if the file must not be read */
  read(path: string): string;
  /** Errors then name only lines. */
  readonly hidesText?: boolean;
}

export const HIDDEN_TEXT =
  "It does not hold rules of a policy. Its text is not shown, since the configuration that names it is not trusted.";

export async function readPolicyFrom(path: string, from?: TextSource): Promise<PolicyText> {
  const text = await readPolicyText(path, from);
  return withScopeFiles(text, path, (each) => readPolicyText(each, from));
}

export async function readPolicyText(path: string, from?: TextSource): Promise<Omit<PolicyText, "files">> {
  const read = from === undefined ? readYamlBytes(() => readNamed(path)) : readYaml(from.read(path));
  return policyTextOf(path, await read, from?.hidesText);
}

function policyTextOf(
  path: string,
  read: Awaited<ReturnType<typeof readYamlFile>>,
  hidesText = false,
): Omit<PolicyText, "files"> {
  if (!("problems" in read)) return { config: read.value as PolicyConfig, positions: read.positions };
  const [{ line, message }] = read.problems as [PolicyProblem];
  const location = line === undefined ? path : `${path}:${line}`;
  throw configError("POLICY_UNREADABLE", `${location}: ${hidesText ? HIDDEN_TEXT : message}`);
}

/**
 * Reads rules that no policy can loosen: from `HAFT_ADMIN_POLICY` (empty: none), else from `/etc/haft/policy.yaml` if it exists.
 *
 * @throws HaftError `POLICY_UNREADABLE`
 */
export async function readMachinePolicy(): Promise<
  (AdministratorPolicy & Pick<PolicyText, "files">) | undefined
> {
  const path = getMachinePolicyPath();
  return path === "" ? undefined : { ...(await readPolicyFile(path)), source: path };
}
