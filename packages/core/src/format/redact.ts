/** What is shown instead. */
const COVER = "[secret]";

/**
 * What is covered is not seen by the person who decides, so nothing is covered that a shell would act on where it
 * stands: no `$( )`, no backtick, no operator, no word or line after the value.
 */
const VALUE = String.raw`[\w+/=.~:@%^#!-]`;
/** Where a value ends. Not at what would make it more than a value. */
const END = String.raw`(?=\\?["']|\\[nrt]|[\s&,;)\]}|<>]|$)`;
const QUOTED = String.raw`(?:[^"'\\$\x60\n]|\\[^"'$\x60\n(])`;
/** What names of secrets end with. */
const NAME = String.raw`(?:pass(?:word|wd|phrase)|[_-]pass|secret|token|(?:api|access|account|auth|private|signing)[_-]?key|credentials?)`;

const SCHEME = "(?:bearer|basic|digest|token|apikey)";

/** Beginnings that providers give their keys, so that they can be found. */
const KNOWN_KEYS = new RegExp(
  `(?<![\\w-])(?:${[
    String.raw`sk-(?=[\w-]{0,60}\d)[\w-]{16,}`,
    String.raw`[sr]k_(?:live|test)_\w{10,}`,
    String.raw`gh[pousr]_\w{20,}`,
    String.raw`github_pat_\w{20,}`,
    String.raw`glpat-[\w-]{16,}`,
    String.raw`xox[abeoprs]-[\w-]{10,}`,
    String.raw`A(?:KIA|SIA)[A-Z0-9]{16}`,
    String.raw`AIza[\w-]{30,}`,
    String.raw`ya29\.[\w-]{20,}`,
    String.raw`GOCSPX-[\w-]{20,}`,
    String.raw`npm_\w{30,}`,
    String.raw`pypi-[\w-]{40,}`,
    String.raw`hf_\w{20,}`,
    String.raw`dop_v1_\w{40,}`,
    String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`,
    String.raw`\d{8,10}:AA[\w-]{30,}`,
    String.raw`AGE-SECRET-KEY-1[A-Z0-9]{40,}`,
    String.raw`eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}`,
  ].join("|")})`,
  "g",
);

/** In each, the first group stays; `quote` is repeated at the end of the value. */
const NAMED: readonly RegExp[] = [
  // Authorization: Bearer …
  new RegExp(
    String.raw`(\bauthorization["'\\]{0,4}\s{0,3}[:=]\s{0,3}["'\\]{0,4}(?:${SCHEME}[ \t]{1,3})?)(?!${SCHEME}[ \t])${VALUE}{6,}${END}`,
    "gi",
  ),
  new RegExp(
    String.raw`(\b(?:bearer|basic)[ \t]{1,3})(?![./])(?=${VALUE}{0,100}\d)${VALUE}{16,}${END}`,
    "gi",
  ),
  // scheme://user:password@host
  new RegExp(String.raw`(:\/\/[^\s/:@]{0,200}:)[\w+=.~:%^#!*-]{1,200}(?=@)`, "g"),
  // curl -u user:password; not docker run -u 1000:1000
  new RegExp(
    String.raw`([ \t](?:-u|--user)[ \t=]{1,3}["']?[\w.@-]{1,64}:)(?!\d{1,9}(?!\w))${VALUE}{3,}${END}`,
    "g",
  ),
  // password="…", "api_key": "…"
  new RegExp(
    String.raw`(${NAME}\\{0,3}["']?\s{0,3}[:=]\s{0,3}(?<quote>\\{0,3}["']))${QUOTED}{4,}(?=\k<quote>)`,
    "gi",
  ),
  // TOKEN=…
  new RegExp(String.raw`(${NAME}=)${VALUE}{6,}${END}`, "gi"),
  // token: …, token = …; but not the types and variables of a program
  new RegExp(
    String.raw`(${NAME}["']?(?:[ \t]{0,3}:[ \t]{0,3}|[ \t]{1,3}=[ \t]{1,3}))(?=${VALUE}{0,100}[\d!@#%^+=-])${VALUE}{6,}${END}`,
    "gi",
  ),
  // --password …
  new RegExp(String.raw`((?<![\w-])-[\w-]{0,40}${NAME}[ \t]{1,3})(?!-)${VALUE}{4,}${END}`, "gi"),
  new RegExp(
    String.raw`((?<![\w-])-[\w-]{0,40}${NAME}[ \t]{1,3}(?<quote>\\{0,3}["']))${QUOTED}{4,}(?=\k<quote>)`,
    "gi",
  ),
];

/** A key and the lines of Base64 after it; its lines stay lines. */
const PRIVATE_KEY =
  /(?<=-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{8,})+(?![A-Za-z0-9+/=])/g;
const BASE64_LINE =
  /(\\[nr])|[A-Za-z0-9+/=]{40,}|(?=[a-z0-9+/]*[A-Z])(?=[A-Z0-9+/]*[a-z])(?=[A-Za-z+/]*\d)[A-Za-z0-9+/=]{8,}/g;

/**
 * A text in which what looks like a secret is covered: for prompts, which reach chats and logs. It finds common
 * shapes only; that something is not covered does not make it public.
 */
export function redactSecrets(text: string): string {
  let shown = text
    .replace(PRIVATE_KEY, (lines) =>
      lines.replace(BASE64_LINE, (_line, lineEnd?: string) => lineEnd ?? COVER),
    )
    .replace(KNOWN_KEYS, COVER);
  for (const pattern of NAMED) shown = shown.replace(pattern, `$1${COVER}`);
  return shown;
}
