import { HaftError } from "@haft/core";
import type { AdministratorPolicy, KeyPath, PolicyConfig, PolicyProblem, Positions } from "@haft/policy";
import { existsSync, readFileSync } from "node:fs";
import type { Node } from "yaml";

/** Where a machine's administrator puts rules for everybody. */
const MACHINE_FILE = "/etc/haft/policy.yaml";

/** What stands in a file, and in which line. What it means is not checked yet. */
export interface PolicyText {
  config: PolicyConfig;
  positions: Positions;
}

/**
 * Reads a policy file: YAML, or JSON, of which YAML is a part (comments begin with `#` there, too, and a comma may
 * stand before a bracket). A key written twice is an error with its line; a plain JSON parser would quietly forget
 * the first.
 *
 * @returns what stands there, or every reason why it cannot be read
 */
export async function readYamlFile(
  path: string,
): Promise<{ value: unknown; positions: Positions } | { problems: PolicyProblem[] }> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (thrown) {
    return whole(`cannot read it: ${whyUnreadable(thrown)}.`);
  }
  return readYaml(text);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a folder; name a file in it",
  EACCES: "this user may not read it",
  ELOOP: "its link leads back to itself",
};

function whyUnreadable(thrown: unknown): string {
  if (thrown instanceof TypeError) return "it is not UTF-8";
  const { code = "", message } = thrown as NodeJS.ErrnoException;
  return REASONS[code] ?? message;
}

async function readYaml(text: string): ReturnType<typeof readYamlFile> {
  const { LineCounter, parseDocument, isAlias, isMap, isScalar, isSeq, visit } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(text, { uniqueKeys: true, prettyErrors: false, lineCounter: lines });
  const hint = hintFor(text);
  const problems = [...document.errors, ...document.warnings].map(({ message, pos }): PolicyProblem => {
    return {
      path: "",
      line: lines.linePos(pos[0]).line,
      message: `it cannot be read: ${message.replace(/\.+$/, "")}.${hint}`,
    };
  });
  visit(document, {
    Pair(_, { key }) {
      // `{ // note` over a key is read as one long key.
      if (!isScalar(key) || !/^\/[/*]/.test(String(key.value))) return;
      const line = lines.linePos(startOf(key) ?? 0).line;
      problems.push({ path: "", line, message: `it cannot be read as rules.${COMMENTS}` });
    },
  });
  if (problems.length > 0) return { problems };
  if (document.contents === null) return whole("it is empty. Write {} for a policy without rules.");
  if (isScalar(document.contents) && hint !== "") return whole(`it cannot be read as rules.${hint}`);
  let value: unknown;
  try {
    // Rules of rules of rules could be a gigabyte; a policy has no use for that.
    value = document.toJS({ maxAliasCount: 100 });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return whole(
      `it cannot be read: ${why.replace(/\.+$/, "")}. A text that begins with * stands in quotes: "*".`,
    );
  }

  const positions: Positions = (path: KeyPath) => {
    let node: unknown = document.contents;
    let offset: number | undefined;
    for (const key of path) {
      if (isAlias(node)) node = node.resolve(document);
      if (isMap(node)) {
        const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
        if (pair === undefined) break;
        offset = startOf(pair.key) ?? offset;
        node = pair.value;
      } else if (isSeq(node) && typeof key === "number" && key < node.items.length) {
        node = node.items[key];
        offset = startOf(node) ?? offset;
      } else break;
    }
    return offset === undefined ? undefined : lines.linePos(offset).line;
  };
  return { value, positions };
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}

const COMMENTS = " Comments begin with #, also in JSON.";

/** What people write into JSON, and YAML does not know. */
function hintFor(text: string): string {
  return /^\s*(?:\/\/|\/\*)|[,{[\]}]\s*(?:\/\/|\/\*)/m.test(text) ? COMMENTS : "";
}

function whole(message: string): { problems: PolicyProblem[] } {
  return { problems: [{ path: "", message }] };
}

/** @throws HaftError `POLICY_UNREADABLE` */
export async function readPolicyFile(path: string): Promise<PolicyText> {
  const read = await readYamlFile(path);
  if (!("problems" in read)) return { config: read.value as PolicyConfig, positions: read.positions };
  const [{ line, message }] = read.problems as [PolicyProblem];
  const place = line === undefined ? path : `${path}:${line}`;
  throw new HaftError("POLICY_UNREADABLE", `${place}: ${message}`, {
    category: "input",
    fix: "Correct the file, or name another; rules that cannot be read are never left out.",
  });
}

/**
 * The rules of this machine that no policy can loosen: from `HAFT_ADMIN_POLICY` (empty: none), else from
 * `/etc/haft/policy.yaml`, where it exists.
 *
 * @throws HaftError `POLICY_UNREADABLE`
 */
export async function readMachinePolicy(): Promise<AdministratorPolicy | undefined> {
  const path = process.env["HAFT_ADMIN_POLICY"] ?? (existsSync(MACHINE_FILE) ? MACHINE_FILE : "");
  return path === "" ? undefined : { ...(await readPolicyFile(path)), source: path };
}
