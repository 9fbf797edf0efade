import { parse } from "smol-toml";
import type { RuleSource } from "./policy-draft.ts";

/** Lines are known for top-level keys and tables. @throws Error as a sentence without a full stop */
export function parseTomlWithLines(text: string, file: string) {
  let value: Record<string, unknown>;
  try {
    value = parse(text.replace(/^\uFEFF/, ""));
  } catch (thrown) {
    const [first] = (thrown as Error).message.split("\n");
    throw new Error(`${file} is not valid TOML (${first})`, { cause: thrown });
  }
  const lines = text.split(/\r?\n/);
  const at = (index: number, name: string): RuleSource =>
    index < 0 ? { file, text: name } : { file, line: index + 1, text: lines[index]!.trim() };
  const tables = lines.findIndex((line) => /^\s*\[\[?\s*["\w.-]+\s*\]\]?\s*(?:#.*)?$/.test(line));
  const atTop = tables < 0 ? lines : lines.slice(0, tables);
  return {
    value,
    key: (name: string) =>
      at(
        atTop.findIndex((line) => new RegExp(`^\\s*"?${name}"?\\s*=`).test(line)),
        name,
      ),
    table: (name: string, index: number) => {
      const found = lines.flatMap((line, number) =>
        new RegExp(`^\\s*\\[\\[?\\s*${name}\\s*\\]`).test(line) ? [number] : [],
      );
      return at(found[index] ?? -1, name);
    },
  };
}
