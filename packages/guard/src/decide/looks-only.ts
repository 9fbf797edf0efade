/** Programs that look and change nothing, by their names. `git` and `sed` by more than that. */
const LOOKING =
  /^(?:\[|test|cat|ls|head|tail|less|more|wc|stat|file|grep|egrep|fgrep|rg|find|fd|tree|diff|cmp|md5sum|sha\d+sum|nl|od|xxd|hexdump|strings|jq|yq|cut|sort|uniq|tr|echo|printf|cd|pwd|realpath|readlink|basename|dirname|du|column|bat|awk|which|type|source|\.)$/;
const GIT_LOOKS = /^(?:add|commit|diff|log|show|status|blame|grep|ls-files|check-ignore)$/;
/** They write, whatever looks. */
const OUTPUT = /^--output(?:=|$)/;

/** The name of a program without its folder. */
export function programOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** Whether a command only looks at what it names. */
export function looksOnly(program: string, argv: readonly string[]): boolean {
  if (program === "git") return GIT_LOOKS.test(gitCommand(argv)) && !argv.some((word) => OUTPUT.test(word));
  if (program === "sed") return !argv.some((word) => /^-[A-Za-z]*i|^--in-place/.test(word));
  if (program === "find") return !argv.some((word) => /^-(?:delete|exec|execdir|ok|okdir|fprint)/.test(word));
  return LOOKING.test(program);
}

/** The first word of git that is no option, nor the value of one. */
export function gitCommand(argv: readonly string[]): string {
  let at = 1;
  while (argv[at]?.startsWith("-") === true)
    at += /^(?:-[cC]|--(?:git-dir|work-tree|namespace))$/.test(argv[at]!) ? 2 : 1;
  return argv[at] ?? "";
}
