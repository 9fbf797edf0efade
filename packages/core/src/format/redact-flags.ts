/** How a value of a command line looks that may be covered; see `secret-patterns.ts` for what may not. */
export interface ValueSyntax {
  /** One character of a bare value. */
  value: string;
  /** Where a bare value ends. */
  end: string;
  /** One character, or escaped one, between quotes. */
  quoted: string;
}

/** The rest of a simple command in front of a flag. */
const BEFORE = String.raw`(?:[ \t][^\n;|&]{0,300})?[ \t]`;
const SPACE = String.raw`[ \t]{1,3}`;
const ANY_SPACE = String.raw`[ \t]{0,3}`;
/** The name in front of a password. */
const USER = String.raw`[\w.@%+\\/-]{1,64}`;

/**
 * Programs that take a password as an argument, and what stands in front of it. A short flag means something else to each
 * program (`mkdir -p`, `ssh -p 22`, `mysql -P 3306`), so none counts without its own. `within` is part of the same word.
 */
const FLAGS: readonly (readonly [program: string, flag: string, within?: string])[] = [
  // Attached only: `mysql -p db` asks for the password, and names the database.
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

/** The same, where only these words may stand between the program and its password. */
const WORDS: readonly string[] = [
  // What comes later is the command it runs: `sshpass -e ssh -p 22 host`.
  String.raw`sshpass(?:[ \t]{1,3}-(?!p)\w\S{0,100}){0,3}${SPACE}-p${ANY_SPACE}`,
  String.raw`htpasswd[ \t]{1,3}-\w{0,8}b\w{0,8}[ \t]{1,3}\S{1,200}[ \t]{1,3}\S{1,100}${SPACE}`,
];

/** Finds the values alone: what is in front of them stays. */
export function flagPatterns({ value, end, quoted }: ValueSyntax): RegExp[] {
  const places = [
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
  const others = places.flatMap(([place, within]) => [
    new RegExp(String.raw`(?<=(?<![\w-])${place}${within})(?![-:="'])${value}+${end}`, "g"),
    new RegExp(String.raw`(?<=(?<![\w-])${place}(?<quote>\\{0,3}["'])${within})${quoted}+(?=\k<quote>)`, "g"),
  ]);
  return [...inQuotes, ...others];
}
