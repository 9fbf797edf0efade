/**
 * Comma: alternative names of one option, the first is canonical. `=`: takes a value. `~`: a value can follow the letter. `+`: also implies
 * another option: `D+delete+force` is `delete` and `force`.
 */
const FILES =
  "r,R,recursive f,force i~ n,no-clobber t,target-directory= v,verbose a,archive u,update s,symbolic";
const OWNERS = "R,recursive f,silent,quiet v,verbose c,changes";
const SHELL = "c l,login i x e u";
const TEXT =
  "d,data,data-ascii,data-binary,data-raw,data-urlencode,json= F,form,form-string= T,upload-file= X,request= " +
  "o,output= O,remote-name H,header= k,insecure u,user= x,proxy= L,location A,user-agent= b,cookie= c,cookie-jar= " +
  "e,referer= K,config= E,cert= m,max-time= w,write-out= r,range= G,get";
const PACKAGES = "g,global f,force D,save-dev";
const CLEANED = "f,force v,volumes a,all";

const OPTIONS: Readonly<Record<string, string>> = {
  rm: "r,R,recursive f,force i,interactive d,dir v,verbose",
  cp: FILES,
  mv: FILES,
  ln: FILES,
  chmod: OWNERS,
  chown: OWNERS,
  chgrp: OWNERS,
  sh: SHELL,
  bash: SHELL,
  dash: SHELL,
  zsh: SHELL,
  curl: TEXT,
  wget: "O,output-document= post-data,post-file,body-data,body-file= e,execute= P,directory-prefix= r,recursive",
  sed: "i~,in-place n,quiet,silent e,expression= f,file= E,r,regexp-extended",
  rsync: "a,archive r,recursive e,rsh= n,dry-run delete,del v z u",
  npm: PACKAGES,
  pnpm: PACKAGES,
  yarn: PACKAGES,
  node: "e,eval= p,print= r,require= i,interactive",
  python: "c= m=",
  python3: "c= m=",
  perl: "e,E= i~",
  ruby: "e= i~",
  php: "r,run=",
  "docker rm": CLEANED,
  "docker rmi": CLEANED,
  "docker prune": CLEANED,
  "kubectl delete": "f,filename= A,all-namespaces n,namespace= grace-period= force all",
  "git push":
    "f,force d,delete n,dry-run u,set-upstream o,push-option= repo= receive-pack,exec= mirror " +
    "prune tags no-verify",
  "git reset": "hard soft mixed keep merge q,quiet p,patch",
  "git clean": "f,force d x X n,dry-run i,interactive e,exclude= q,quiet",
  "git checkout": "f,force b= B= p,patch ours theirs",
  "git switch": "f,force,discard-changes c,create= C,force-create=",
  "git restore": "S,staged W,worktree s,source=",
  "git branch": "d,delete D+delete+force f,force m,move M+move+force c,copy C+copy+force u,set-upstream-to=",
  "git commit": "n,no-verify a,all m,message= F,file= C,reuse-message= c,reedit-message= amend S~",
  "git tag": "d,delete f,force a,annotate m,message=",
  "git add": "f,force A,all p,patch u,update",
  "git rm": "f,force r cached n,dry-run",
  "git fetch": "f,force p,prune",
  "git pull": "f,force r~,rebase",
  "git rebase": "i,interactive x,exec= onto=",
  "git worktree": "f,force b= B=",
  "git config": "global system local unset unset-all e,edit f,file=",
};
/** These options include the effects of others. */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  "--mirror": ["-f", "-d"],
  "--prune": ["-d"],
};
/** Options are whole words after one dash. */
const WORDS = new Set(["find"]);
/** These take a value before the subcommand. */
const GLOBAL_VALUES: Readonly<Record<string, string>> = {
  git: "-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix",
  docker: "-H --host -c --context --config -l --log-level",
  kubectl: "-n --namespace --context --kubeconfig --cluster --user -s --server",
};

export const hasSubcommands = (program: string): boolean => Object.hasOwn(GLOBAL_VALUES, program);

interface Options {
  meaning: ReadonlyMap<string, readonly string[]>;
  withValue: ReadonlySet<string>;
  withSuffix: ReadonlySet<string>;
}

export interface ReadOption {
  /** Canonical names of all options that the word can mean. */
  names: readonly string[];
  value?: string;
}

export interface ReadWords {
  options: readonly ReadOption[];
  operands: readonly string[];
}

const read = new Map<string, Options>();

function optionsOf(name: string): Options | undefined {
  const text = OPTIONS[name];
  if (text === undefined || read.has(name)) return read.get(name);
  const meaning = new Map<string, string[]>();
  const [withValue, withSuffix] = [new Set<string>(), new Set<string>()];
  for (const entry of text.split(" ")) {
    const [names = "", ...also] = entry.replace("=", "").split("+");
    const all = names.split(",").map((one) => {
      const plain = one.replace("~", "");
      const dashed = `${plain.length === 1 ? "-" : "--"}${plain}`;
      if (entry.endsWith("=")) withValue.add(dashed);
      if (one.endsWith("~")) withSuffix.add(dashed);
      return dashed;
    });
    const canonical = also.length > 0 ? also.map((one) => meaningOf(meaning, one)) : [all.at(0)!];
    for (const one of all) meaning.set(one, canonical);
  }
  const options = { meaning, withValue, withSuffix };
  read.set(name, options);
  return options;
}

const meaningOf = (meaning: ReadonlyMap<string, readonly string[]>, long: string): string =>
  meaning.get(`--${long}`)?.[0] ?? `-${long[0]}`;

/** Returns the number of words before the subcommand; 0 for a program without known subcommands. */
export function skipGlobalOptions(program: string, words: readonly string[]): number {
  if (!hasSubcommands(program)) return 0;
  const globals = GLOBAL_VALUES[program]!.split(" ");
  let from = 0;
  while (words[from]?.startsWith("-") === true) from += globals.includes(words[from]!) ? 2 : 1;
  return from;
}

/** @returns `undefined` for an unknown program */
export function readWords(program: string, words: readonly string[]): ReadWords | undefined {
  const rest = words.slice(skipGlobalOptions(program, words));
  const sub = program === "docker" && rest.includes("prune") ? "prune" : rest[0];
  const name = hasSubcommands(program) ? `${program} ${sub}` : program;
  const known = optionsOf(name);
  if (known === undefined && !WORDS.has(program)) return undefined;
  const options: ReadOption[] = [];
  const operands: string[] = [];
  const end = rest.indexOf("--");
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!;
    if (at === end) continue;
    if ((end >= 0 && at > end) || !/^-./.test(word)) {
      // A refspec with a plus is forced, and one without a source deletes.
      if (name === "git push" && word.startsWith("+")) options.push({ names: ["-f"] });
      if (name === "git push" && /^\+?:./.test(word)) options.push({ names: ["-d"] });
      operands.push(word);
    } else if (known === undefined) options.push({ names: [word] });
    else if (word.startsWith("--")) {
      const [long = "", ...value] = word.split("=");
      const takes = known.withValue.has(long) && value.length === 0;
      options.push(
        optionOf(namesOf(known, long), takes ? rest[++at] : value.length > 0 ? value.join("=") : undefined),
      );
    } else if (LETTERS.test(word)) {
      for (let letter = 1; letter < word.length; letter++) {
        const short = `-${word[letter]}`;
        const canonical = known.meaning.get(short) ?? [short];
        const takes = known.withValue.has(short);
        const attached = word.slice(letter + 1);
        if (takes) options.push(optionOf(canonical, attached === "" ? rest[++at] : attached));
        else for (const one of canonical) options.push({ names: [one] });
        if (takes || known.withSuffix.has(short)) break;
      }
    }
  }
  const implied = name === "git push" ? options.flatMap((one) => one.names.flatMap(impliedBy)) : [];
  return { options: [...options, ...implied.map((one) => ({ names: [one] }))], operands };
}

const impliedBy = (option: string): readonly string[] => IMPLIED[option] ?? [];

const LETTERS = /^-[^*]/;

function optionOf(names: readonly string[], value: string | undefined): ReadOption {
  return value === undefined ? { names } : { names, value };
}

/** A star at the end, or an abbreviation, can mean any option with this prefix. */
function namesOf({ meaning }: Options, long: string): readonly string[] {
  const exact = meaning.get(long);
  if (exact !== undefined) return exact;
  const start = long.replace(/\*$/, "");
  const longer = [...meaning].flatMap(([name, canonicals]) => (name.startsWith(start) ? canonicals : []));
  return [...new Set([...longer, long])];
}
