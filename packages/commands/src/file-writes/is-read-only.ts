import type { TemplateCommand } from "../command-template.ts";
import { baseName } from "../words/names.ts";

/** These only read, except with some arguments. */
const LOOKING =
  /^(?:\[|test|cat|ls|head|tail|less|more|wc|stat|file|[ef]?grep|rg|find|fd|tree|diff|cmp|(?:md|sha)\d+sum|nl|od|xxd|hexdump|strings|jq|yq|cut|sort|uniq|tr|echo|printf|cd|pwd|realpath|readlink|basename|dirname|du|column|bat|awk|which|type|source|\.)$/;
const GIT_READS = /^(?:add|commit|diff|log|show|status|blame|grep|ls-files|check-ignore)$/;
const WRITES: Readonly<Record<string, RegExp>> = {
  git: /^--output(?:=|$)/,
  sed: /^-[A-Za-z]*i|^--in-place/,
  find: /^-(?:delete|exec|execdir|ok|okdir|fprint|fls)/,
  sort: /^-[A-Za-z]*o|^--o/,
  tree: /^-[A-Za-z]*o/,
  yq: /^-[A-Za-z]*i|^--inplace/,
  fd: /^-[A-Za-z]*[xX]|^--exec/,
  rg: /^--pre(?:=|$)/,
};

/**
 * Returns whether a command only reads the files that it names.
 *
 * @example
 * ```ts run
 * import { analyzeCommand, isReadOnlyCommand } from "@haft/commands";
 *
 * const { commands } = await analyzeCommand("grep -r TODO src; sed -i s/a/b/ notes.txt", { cwd: "/work" });
 * commands.map(isReadOnlyCommand); // => [true, false]
 * ```
 */
export function isReadOnlyCommand({ name, argv, carrier }: TemplateCommand): boolean {
  const program = baseName(name);
  if (Object.hasOwn(WRITES, program) && argv.some((word) => WRITES[program]!.test(word))) return false;
  if (program === "uniq" || program === "xxd") return argv.filter((word) => !word.startsWith("-")).length < 3;
  if (program === "git") return GIT_READS.test(getGitSubcommand(argv));
  return program === "sed" ? carrier === undefined : LOOKING.test(program);
}

/** Returns the first word of git that is neither an option nor its value. */
export function getGitSubcommand(argv: readonly string[]): string {
  let at = 1;
  while (argv[at]?.startsWith("-") === true)
    at += /^(?:-[cC]|--(?:git-dir|work-tree|namespace))$/.test(argv[at]!) ? 2 : 1;
  return argv[at] ?? "";
}
