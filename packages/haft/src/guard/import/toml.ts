import { parse } from "smol-toml";
import type { From } from "./draft.ts";

/** TOML as values, and the lines of its keys as far as they are told by their names. @throws Error as a sentence without its end */
export function placedToml(
  text: string,
  file: string,
): {
  value: Record<string, unknown>;
  key: (name: string) => From;
  table: (name: string, index: number) => From;
} {
  let value: Record<string, unknown>;
  try {
    value = parse(text.replace(/^\uFEFF/, ""));
  } catch (thrown) {
    const [first] = (thrown as Error).message.split("\n");
    throw new Error(`${file} is no TOML that Haft can read (${first})`, { cause: thrown });
  }
  const lines = text.split(/\r?\n/);
  const at = (index: number, name: string): From => ({
    file,
    line: index < 0 ? 1 : index + 1,
    text: lines[index]?.trim() ?? name,
  });
  return {
    value,
    key: (name) =>
      at(
        lines.findIndex((line) => new RegExp(`^\\s*"?${name}"?\\s*=`).test(line)),
        name,
      ),
    table: (name, index) => {
      const found = lines.flatMap((line, number) =>
        new RegExp(`^\\s*\\[\\[?\\s*${name}\\s*\\]`).test(line) ? [number] : [],
      );
      return at(found[index] ?? -1, name);
    },
  };
}
