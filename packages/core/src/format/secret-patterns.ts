/** Excludes shell characters, which the approver has to see. */
const VALUE = String.raw`[\w+/=.~:@%^#!-]`;
/** Ends a value, unless it would become more than a value. */
const END = String.raw`(?=\\?["']|\\[nrt]|[\s&,;)\]}|<>]|$)`;
const QUOTED = String.raw`(?:[^"'\\\x60\n]|\\[^"'$\x60\n(])`;
const NAME = String.raw`(?:pass(?:word|wd|phrase)|[_-]pass|secret|token|(?:api|access|account|auth|private|signing)[_-]?key|credentials?)`;

const OPTION = String.raw`(?:-|--[\w-]{0,40})(?:${NAME}|bearer|storepass|keypass)`;

const PASSWORD = String.raw`(?:pass(?:word|wd|phrase)|[_-]pass|sshpass|[_-]pwd)`;
const NOTHING = String.raw`(?!=)(?!(?:none|null|nil|true|false|undefined)(?!\w))`;
const VARIABLE = String.raw`(?<![\w$-])(?:[A-Z][A-Z0-9]*_)*(?:TOKEN|SECRET|(?:API|ACCESS|ACCOUNT|AUTH|PRIVATE|SIGNING)_?KEY|CREDENTIALS?)`;

const SCHEME = "(?:bearer|basic|digest|token|apikey)";

const KEY = String.raw`(?<=-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)`;

export function createSecretPatterns() {
  const knownKeys = new RegExp(
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

  /** The first group of each stays; `quote` also ends the value. */
  const headers = [
    new RegExp(
      String.raw`(\bauthorization["'\\]{0,4}\s{0,3}[:=]\s{0,3}["'\\]{0,4}${SCHEME}[ \t]{1,3})${VALUE}{1,5}${END}`,
      "gi",
    ),
    // X-Api-Key: …, Cookie: name=…
    new RegExp(
      String.raw`(\b(?:x-[\w-]{0,40}(?:key|token|secret)["'\\]{0,4}:[ \t]{0,3}["'\\]{0,4}|cookie:[ \t]{0,3}[\w.-]{1,80}=))${VALUE}+${END}`,
      "gi",
    ),
    new RegExp(
      String.raw`(\bauthorization["'\\]{0,4}\s{0,3}[:=]\s{0,3}["'\\]{0,4}(?:${SCHEME}[ \t]{1,3})?)(?!${SCHEME}[ \t])${VALUE}{6,}${END}`,
      "gi",
    ),
    new RegExp(
      String.raw`([:=][ \t]{0,3}["'\\]{0,4}(?:bearer|basic)[ \t]{1,3})(?![./])(?=${VALUE}{0,100}\d)${VALUE}{16,}${END}`,
      "gi",
    ),
    // scheme://user:password@host
    new RegExp(String.raw`(:\/\/[^\s/:@?#\\]{0,200}:)[\w+=.~:%^!*-]{1,200}(?=@)`, "g"),
    // scheme://token@host
    /(:\/\/)(?=[\w-]{0,60}\d)[\w-]{16,200}(?=@)/g,
    /(\bhooks\.slack\.com\/services\/|\bdiscord(?:app)?\.com\/api\/webhooks\/)[\w/-]{8,}/g,
    // curl -u user:password; not docker run -u 1000:1000
    new RegExp(
      String.raw`([ \t](?:-u|--user)[ \t=]{1,3}["']?[\w.@-]{1,64}:)(?!\d{1,9}(?!\w))${VALUE}{3,}${END}`,
      "g",
    ),
  ];

  const assigned = [
    // password="…", "api_key": "…"
    new RegExp(
      String.raw`(${NAME}\\{0,3}["']?\s{0,3}[:=]\s{0,3}(?<quote>\\{0,3}["']))${QUOTED}{4,}(?=\k<quote>)`,
      "gi",
    ),
    // "token":"…", in JSON also a short one
    new RegExp(
      String.raw`((?<open>\\{0,3}")[\w-]{0,40}${NAME}\k<open>\s{0,3}:\s{0,3}\k<open>)${QUOTED}{1,3}(?=\k<open>)`,
      "gi",
    ),
    // PASSWORD=…, TOKEN=…
    new RegExp(String.raw`(${PASSWORD}=(?<quote>\\{0,3}["']))${QUOTED}+(?=\k<quote>)`, "gi"),
    new RegExp(String.raw`(${VARIABLE}=(?<quote>\\{0,3}["']))${QUOTED}+(?=\k<quote>)`, "g"),
    new RegExp(String.raw`(${PASSWORD}=)${NOTHING}${VALUE}+${END}`, "gi"),
    new RegExp(String.raw`(${VARIABLE}=)(?!\d{1,6}(?!\w))${NOTHING}${VALUE}+${END}`, "g"),
    new RegExp(String.raw`(${NAME}=)${VALUE}{6,}${END}`, "gi"),
    // token: …, token = …; but not the types and variables of a program
    new RegExp(
      String.raw`(${NAME}["']?(?:[ \t]{0,3}:[ \t]{0,3}|[ \t]{1,3}=[ \t]{1,3}))(?=${VALUE}{0,100}[\d!@#%^+=-])${VALUE}{6,}${END}`,
      "gi",
    ),
  ];

  const options = [
    new RegExp(
      String.raw`((?<![\w-])(?:-|--(?:[a-z0-9]+-){0,4})(?:pass(?:word|wd|phrase)?)(?:=|[ \t]{1,3}))(?!-)${VALUE}+${END}`,
      "g",
    ),
    new RegExp(String.raw`((?<![\w-])${OPTION}[ \t]{1,3})(?!-)${VALUE}{4,}${END}`, "gi"),
    new RegExp(
      String.raw`((?<![\w-])${OPTION}[ \t]{1,3}(?<quote>\\{0,3}["']))${QUOTED}{4,}(?=\k<quote>)`,
      "gi",
    ),
  ];

  const flags = flagPatterns({ value: VALUE, end: END, quoted: QUOTED });

  /** A key and its lines of Base64; the number of lines stays. */
  const privateKey = new RegExp(
    String.raw`${KEY}(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{8,})+(?![A-Za-z0-9+/=])`,
    "g",
  );
  /** A whole key: a short line could be a program name outside of quotes. */
  const shortKey = new RegExp(
    String.raw`${KEY}(?:[A-Za-z0-9+/=]{1,200}|(?:(?:\s|\\[nr])+(?:\[secret\]|[A-Za-z0-9+/=]{1,100})){1,100}(?:\s|\\[nr])+)(?=-----END)`,
    "g",
  );

  return { privateKey, shortKey, knownKeys, flags, headers, assigned, options };
}

interface ValueSyntax {
  value: string;
  end: string;
  quoted: string;
}

const BEFORE = String.raw`(?:[ \t][^\n;|&]{0,300})?[ \t]`;
const SPACE = String.raw`[ \t]{1,3}`;
const ANY_SPACE = String.raw`[ \t]{0,3}`;
const USER = String.raw`[\w.@%+\\/-]{1,64}`;

/**
 * Programs with passwords as arguments, and the text before. Short flags differ between programs (`mkdir -p`, `ssh -p 22`), so each needs
 * its program. `within` is part of the same word.
 */
const FLAGS: readonly (readonly [program: string, flag: string, within?: string])[] = [
  // Attached only: `mysql -p db` asks for the password of a database.
  ["mysql[a-z]*|mariadb(?:-[a-z]+)?", "-p"],
  ["7z[azr]?|7zz|rar|unrar", "-p"],
  ["mongo(?:sh|dump|restore|export|import)?", `-p${ANY_SPACE}`],
  ["zip|unzip|sqlcmd|mosquitto_(?:pub|sub)", `-P${ANY_SPACE}`],
  ["redis-cli", `-a${SPACE}`],
  ["ldap[a-z]+", `-w${SPACE}`],
  ["openssl", `-k${SPACE}`],
  ["openssl", `-pass(?:in|out)?${SPACE}`, "pass:"],
  ["curl|wget", `(?:-[a-zA-Z]{0,6}[uU]${ANY_SPACE}|--(?:proxy-)?user(?:=|${SPACE}))`, `${USER}:`],
  ["smbclient", `-U${ANY_SPACE}`, `${USER}%`],
  [`(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane)${BEFORE}login`, `-p(?:=|${ANY_SPACE})`],
  ["aws[ \\t]+configure", String.raw`set[ \t]+aws_(?:secret_access_key|session_token)${SPACE}`],
];

/** The same with fixed words between program and password. */
const WORDS: readonly string[] = [
  // Later words belong to its command: `sshpass -e ssh -p 22 host`.
  String.raw`sshpass(?:[ \t]{1,3}-(?!p)\w\S{0,100}){0,3}${SPACE}-p${ANY_SPACE}`,
  String.raw`htpasswd[ \t]{1,3}-\w{0,8}b\w{0,8}[ \t]{1,3}\S{1,200}[ \t]{1,3}\S{1,100}${SPACE}`,
];

function flagPatterns({ value, end, quoted }: ValueSyntax): RegExp[] {
  const positions = [
    ...FLAGS.map(([program, flag, within = ""]) => [`(?:${program})${BEFORE}${flag}`, within] as const),
    ...WORDS.map((words) => [words, ""] as const),
  ];
  const inQuotes = FLAGS.map(
    ([program, flag, within = ""]) =>
      new RegExp(
        String.raw`(?<=(?<![\w-])(?:${program})${BEFORE}(?<quote>["'])${flag}${within})${quoted}+(?=\k<quote>)`,
        "g",
      ),
  );
  const others = positions.flatMap(([position, within]) => [
    new RegExp(String.raw`(?<=(?<![\w-])${position}${within})(?![-:="'])${value}+${end}`, "g"),
    new RegExp(
      String.raw`(?<=(?<![\w-])${position}(?<quote>\\{0,3}["'])${within})${quoted}+(?=\k<quote>)`,
      "g",
    ),
  ]);
  return [...inQuotes, ...others];
}
