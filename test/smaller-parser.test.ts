import { fc, test as property } from "@fast-check/vitest";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";
import { beforeAll, expect, test } from "vitest";
import {
  INTERNAL_NAMES,
  namesOfParserAlone,
  numbersOfParser,
  withoutArithmetic,
} from "../scripts/lib/smaller-parser.ts";
import { root } from "../scripts/lib/workspace.ts";

type Parse = (line: string) => { errors?: readonly { message: string }[] };

let whole: Parse;
let small: Parse;

beforeAll(async () => {
  const input = createRequire(join(root, "packages/commands/package.json")).resolve("unbash");
  const minify = { compress: true, mangle: true, codegen: true, mangleProps: { include: INTERNAL_NAMES } };
  const plugins = [withoutArithmetic, numbersOfParser, namesOfParserAlone];
  const { output } = await build({ input, write: false, plugins, output: { minify } });
  const url = `data:text/javascript,${encodeURIComponent(output[0].code)}`;
  whole = ((await import(pathToFileURL(input).href)) as { parse: Parse }).parse;
  small = ((await import(/* @vite-ignore */ url)) as { parse: Parse }).parse;
});

/** All of it, but how what is calculated is made up: of that nothing is asked. */
function treeOf(parse: Parse, line: string): unknown {
  try {
    const script = parse(line);
    const tree: unknown = JSON.parse(JSON.stringify(script), (_, value: unknown) => {
      const { type } = (value ?? {}) as { type?: unknown };
      if (typeof type !== "string" || !type.startsWith("Arithmetic")) return value;
      const {
        expression: _e,
        initialize: _i,
        test: _t,
        update: _u,
        ...rest
      } = value as Record<string, unknown>;
      return rest;
    });
    return { tree, errors: script.errors?.map(({ message }) => message) };
  } catch (thrown) {
    return String(thrown);
  }
}

test.each([
  "npm test && ls -la | tee 'a b' 2>&1 > out",
  "echo \"$(git log -1 --format=%H) $((1 + $(wc -l < x))) ${a:-b} ${a[i+1]//x/y} $'\\n'\"",
  "for ((i = 0; i < $(n); i++)); do ((i++)); done; let i=1+2",
  "if [[ $a == *.x && -f b || ! ( c =~ ^d ) ]]; then e; elif f; then g; else h; fi",
  "case $x in (a|b) c ;; *) d ;& e) f ;;& esac",
  "f() { local x=(a b [3]=c); } <in; coproc g; select y in z; do break; done",
  "cat <<-'END' <<MORE\n\tone $x\n\tEND\ntwo $(three `four`)\nMORE\n",
  "time -p ! { a & } ; (b) ; until c; do d; done ; while e; do f; done",
  "ls a{1..3} {x,y}@(p|q) [[:alpha:]$(z)]* <(sort) >(uniq) &>> log",
  'echo $[1+2] "unclosed',
])("%s", (line) => expect(treeOf(small, line)).toEqual(treeOf(whole, line)));

const signs =
  "a|b=|-x| | |\n|;|&&| || |&|(|)|((|))|{ |; }|<|>|<<E|\nE\n|$(|`|${|}|$((|))|\"|'|\\|*|?|[|]|[[ | ]]|if |then |fi|for x in |do |done|case |in |esac|! |time |#|$x|@(|~|2>&1|function f|coproc |let |=".split(
    "|",
  );
property.prop([fc.array(fc.constantFrom(...signs), { maxLength: 14 })], { numRuns: 1000 })(
  "reads any line as the whole parser does",
  (parts) => {
    const line = parts.join("");
    expect(treeOf(small, line)).toEqual(treeOf(whole, line));
  },
);

test("stops where somebody else has a name that it makes short", async () => {
  const name = INTERNAL_NAMES.source.slice(4).split("|", 1)[0]!;
  const other = {
    name: "other",
    resolveId: (id: string) => (id === "other" ? "\0other" : null),
    load: (id: string) => (id === "\0other" ? `export const x = (y) => y.${name};` : null),
  };
  const made = build({ input: "other", write: false, plugins: [other, namesOfParserAlone] });
  await expect(made).rejects.toThrow(`has ${name}, a name of the parser of shells`);
});
