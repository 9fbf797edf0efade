import { mapNames } from "../words/map-names.ts";
import { opaque, type LauncherRule } from "./launcher.ts";

/** These start programs from arguments, settings or packages. */
const STARTERS =
  "docker docker-compose podman podman-compose nerdctl kubectl oc helm gh systemctl service launchctl snap flatpak brew apt apt-get dpkg " +
  "yum dnf rpm apk pacman zypper aptitude emerge volta nvm fnm asdf mise rustup pyenv rbenv nodenv sdk";
/** These run commands from files of the folder. */
const RUNNERS =
  "make gmake bmake pmake ninja samu cmake ctest meson scons waf bazel bazelisk buck buck2 gradle gradlew mvn mvnw ant sbt " +
  "mill lein rake just task mage invoke nox tox cargo go zig dotnet msbuild swiftc nx turbo lerna rush grunt gulp npm " +
  "pnpm yarn bun deno pip pipenv pixi poetry pdm hatch uv rye conda mamba gem bundle composer cpan luarocks opam cabal mix rebar3 " +
  "buildah skaffold vagrant ansible-playbook terraform tofu pulumi nix nix-build guix corepack pre-commit husky lint-staged act earthly " +
  "dagger " +
  // Their settings and tests are code.
  "pytest py.test jest mocha ava vitest tap karma cypress playwright storybook webpack rollup vite parcel esbuild eslint prettier " +
  "stylelint babel postcss next nuxt astro gatsby ng rspec cucumber rubocop phpunit phpstan behat sphinx-build mkdocs jekyll " +
  "prove cpack pylint flake8 mypy behave expo fastlane pod xcodebuild bitbake pio";
const REASONS = new Map([
  ...RUNNERS.split(" ").map((name) => [name, "runs what files of its folder say"] as const),
  ...STARTERS.split(" ").map((name) => [name, "can start other programs"] as const),
]);

/** These select other files, folders and shells, including abbreviations. */
const ELSEWHERE = (
  "file makefile directory include-dir init-script shell eval prefix cwd dir config justfile rakefile taskfile " +
  "node-options script-shell call command run exec"
).split(" ");
/** Only `make` accepts these as abbreviations. */
const NO_ABBREVIATION = /^(?:include|init)$/;
/** Long options begin with one dash, so `-failfast` is not `-f`. */
const ONE_DASH = new Set("go terraform tofu zig swiftc dotnet msbuild".split(" "));
/** The only option, with its value, for another known folder or file. */
const TIED = /^(?:-[Cf]|--(?:directory|prefix|cwd|dir|file|makefile)=?)(?:(?<=[Cf=])[\w./][\w./-]*)?$/;
const FORCING =
  /^(?:docker|podman|nerdctl|kubectl|oc|systemctl|snap|brew|apt|apt-get|npm|pnpm|yarn|gem|vagrant|mocha|jest|rspec)$/;
const READS = /^(?:build|buildx|bake|compose|stack|apply|create|replace|delete|play|kube)$/;
const PLAIN = /^[\w./:@+-]*[\w./:@+]$/;

const LAUNCHING: Readonly<Record<string, RegExp>> = {
  npm: /^(?:exec|x|init|create|innit|explore|edit|config|set|c|ln|link|-c)$/,
  pnpm: /^(?:exec|dlx|create|init|config|c|env|-c|--shell-mode)$/,
  yarn: /^(?:exec|dlx|create|init|config|node)$/,
  bun: /^(?:x|run|exec|create|c|init|repl|-|-e|-p|--print|-r|--preload|--require|--import)$/,
  deno: /^(?:eval|repl|x|compile|jupyter|task|-|--preload|--import|-r)$/,
  uv: /^(?:run|tool|x|pip)$/,
  ...mapNames(["poetry", "hatch"], /^(?:run|shell)$/),
  ...mapNames(["pdm", "rye", "conda", "mamba", "snap", "flatpak", "volta", "rustup"], /^run$/),
  bundle: /^(?:exec|e)$/,
  ...mapNames(["gem", "composer", "fnm", "pyenv", "rbenv", "opam"], /^exec$/),
  cargo: /^-Z$/,
  go: /^(?:--?(?:exec|toolexec|vettool)|tool|generate|env)$/,
  mvn: /^exec:/,
  prove: /^-[a-zA-Z]*[eI]|^--e/,
  cpack: /^-[a-zA-Z]*[DG]|^--[cp]/,
  nix: /^(?:run|shell|develop|-c|eval)$/,
  guix: /^(?:shell|environment|repl)$/,
  brew: /^sh$/,
  vagrant: /^ssh$/,
  corepack: /^./,
  nvm: /^(?:exec|run)$/,
  mise: /^(?:x|exec|run)$/,
  asdf: /^(?:exec|shell)$/,
  cabal: /^(?:exec|v2-exec)$/,
  // Settings name commands: `-o DPkg::Pre-Invoke::=…`.
  ...mapNames(["apt", "apt-get", "aptitude"], /^(?:-[a-zA-Z]*[oc].*|--option|--config-file|changelog)$/),
  dpkg: /^(?:--(?:pre|post)-invoke|--status-logger|--admindir|--root|--instdir)$/,
  ...mapNames(["yum", "dnf"], /^(?:-c.*|--setopt|--config|--installroot|shell)$/),
  rpm: /^(?:-E.*|--eval|--pipe|--define|-D.*|--load|--macros|--rcfile|--root)$/,
  pacman: /^(?:--config|--hookdir|--root|--sysroot)$/,
  pip: /^(?:-c.*|--config-settings|--global-option|--build-option|--python|config)$/,
  systemctl: /^(?:edit|link|set-property|set-environment|import-environment|-H.*|--host)$/,
  kubectl: /^(?:edit|plugin)$/,
  pytest: /^(?:-[a-zA-Z]*[pco].*|--rootdir|--confcutdir|--config-file|--override-ini|--pdb\w*|--trace)$/,
  mocha: /^(?:-[rRu].*|--require|--import|--loader|--ui|--reporter)$/,
  jest: /^(?:-c.*|--setupFiles\w*|--globalSetup|--testRunner|--runner|--reporters|--transform)$/,
  vitest: /^(?:-c.*|-r.*|--root|--globalSetup|--setupFiles|--reporter|--environment)$/,
  eslint: /^(?:-c.*|--rulesdir|--plugin|--parser|--resolve-plugins-relative-to|--format)$/,
  prettier: /^--plugin/,
  ...mapNames(["webpack", "vite"], /^-c/),
  rollup: /^-[cp]/,
};

const EXTERNAL_COMMANDS: Readonly<Record<string, RegExp>> = {
  pnpm: /^(?:install|i|ci|add|remove|rm|uninstall|un|update|up|upgrade|run|test|t|start|why|list|ls|ll|outdated|audit|pack|publish|link|import|rebuild|rb|prune|store|root|bin|licenses|patch|deploy|fetch|view|info)$/,
  cargo:
    /^(?:build|b|check|c|clean|d|doc|new|init|add|remove|rm|run|r|test|t|bench|update|search|publish|install|uninstall|fmt|clippy|fix|tree|metadata|fetch|vendor|package|version|help)$/,
};

export const runner: LauncherRule = (name, args) => {
  const does = REASONS.get(name);
  if (does === undefined) return undefined;
  const reason = `${name} ${does}`;
  const options = args.map((word) => (word.startsWith("-") ? (word.split("=", 1)[0] ?? word) : word));
  const launching = options.find((word) => LAUNCHING[name]?.test(word));
  if (launching !== undefined) return opaque(reason, `${name} ${launching} runs what its arguments name`);
  const command = args.find((word) => !/^[-+]/.test(word));
  if (command !== undefined && EXTERNAL_COMMANDS[name]?.test(command) === false)
    return opaque(reason, `${name} ${command} can be any program`);
  const sent = args.filter(
    (word) => isElsewhere(name, word) && !(word.startsWith("-f") && isForce(name, args)),
  );
  const [first] = sent;
  if (first !== undefined) {
    const launcher = opaque(reason, `${name} ${first.split("=", 1)[0]} runs what its arguments name`);
    const others = args.filter((word) => word !== first);
    const tied = TIED.test(first) && sent.length === 1 && others.every((word) => PLAIN.test(word));
    return tied ? { ...launcher, tied } : launcher;
  }
  if (name.endsWith("make") && args.some((word) => word.includes("=")))
    return opaque(reason, `variables of ${name} can be any code`);
  if (args.length === 0 && name === "deno") return opaque(reason, "deno runs the code it reads");
  return { reason };
};

/** `-f` can mean force or follow. */
function isForce(name: string, args: readonly string[]): boolean {
  return FORCING.test(name) && !args.some((word) => READS.test(word));
}

function isElsewhere(name: string, word: string): boolean {
  const isMake = name.endsWith("make");
  const option = /^--([^=]+)/.exec(word)?.[1];
  if (option !== undefined)
    return ELSEWHERE.some(
      (one) => one === option || (one.startsWith(option) && (isMake || !NO_ABBREVIATION.test(option))),
    );
  if (isMake) return /^-[a-zA-Z]*[fCIE]/.test(word);
  return ONE_DASH.has(name) ? /^-[fCIEP]$/.test(word) : /^-[fCIEP]/.test(word);
}
