import { compileHostPattern } from "../patterns/host-pattern.ts";
import { hasInvisible, type PatternProblem } from "../patterns/pattern-problem.ts";
import type { ExecRules } from "./exec-config.ts";
import { checkTexts, type KeyPath, type Problems } from "./problems.ts";

export function checkContainment(rules: ExecRules, path: KeyPath, problems: Problems): void {
  const { preset, containment, network, caches } = rules;
  if (typeof network === "object") {
    checkTexts(network, [...path, "network"], checkHost, problems);
    if (network.length === 0 && !problems.has([...path, "network"]))
      problems.add([...path, "network"], { message: "An empty list includes no host; write none." });
  }
  checkTexts(caches, [...path, "caches"], checkCache, problems);
  if (preset === "contained" && containment === "none") {
    const message = '"none" contradicts the preset "contained"; remove one.';
    problems.add([...path, "containment"], { message });
  }
}

function checkHost(text: string): PatternProblem | undefined {
  if (/^(?:none|full)$/i.test(text))
    return { message: `${JSON.stringify(text)} is a value of its own; it cannot be in a list of hosts.` };
  const compiled = compileHostPattern(text);
  return "message" in compiled ? compiled : undefined;
}

/** Names below the home folder that control programs or hold credentials. */
const PERSONAL =
  /^\.(?:ssh|aws|gnupg|azure|kube|docker|password-store|netrc|npmrc|pypirc|git-credentials|gitconfig|pgpass|mozilla|bash\w*|zsh\w*|zprofile|profile|vimrc|emacs\w*|inputrc|config|local|pki)$/;
/** Exceptions to {@link PERSONAL} that contain only caches. */
const INNER = /^\.local\/share\/[^/]+|^\.config\/[^/]+\/[Cc]ache/;
/** Folders with programs as well as caches. */
const WITH_PROGRAMS = /^(?:go|\.(?:asdf|bun|cargo|deno|nvm|pyenv|rbenv|rustup|volta))$|(?:^|\/)s?bin(?:\/|$)/;
const SYSTEM =
  /^\/(?:bin|boot|dev|etc|home|lib(?:32|64|x32)?|proc|root|run|sbin|sys|usr|Users|System|Library)(?:\/|$)/;

function checkCache(text: string): PatternProblem | undefined {
  const shown = JSON.stringify(text);
  if (hasInvisible(text)) return { message: `${shown} has an invisible character; write it again.` };
  const home = text.startsWith("~/");
  if (!home && !text.startsWith("/")) {
    const whole = text === "~" ? `${shown} is the whole home folder; name the folder of a cache.` : undefined;
    const message = whole ?? `${shown} is not an absolute folder; write the full path, or begin with ~/.`;
    return { message, nearest: /^\.[\w-]+/.test(text) ? [`~/${text}`] : undefined };
  }
  if (/\/\.{1,2}(?:\/|$)/.test(text)) return { message: `${shown}: write the folder without "." and "..".` };
  if (/[*?]/.test(text)) return { message: `${shown}: a cache is one folder, without * and ?.` };
  if (/^~?\/+$/.test(text))
    return {
      message: `${shown} is the whole ${home ? "home folder" : "system"}; name the folder of a cache.`,
    };
  if (/\/\/|\/$/.test(text)) {
    const nearest = [text.replaceAll(/\/+/g, "/").replace(/\/$/, "")];
    return { message: `${shown}: write single slashes, and no slash at the end.`, nearest };
  }
  return checkLocation(text, home);
}

function checkLocation(text: string, home: boolean): PatternProblem | undefined {
  const shown = JSON.stringify(text);
  const below = home ? text.slice(2) : text.replace(/^\/(?:home|Users)\/[^/]+\/?|^\/root\/?/, "");
  const personal = home || below !== text;
  if (personal && below === "")
    return { message: `${shown} is a whole home folder; name the folder of a cache.` };
  const [first = ""] = below.split("/");
  if (personal && PERSONAL.test(first) && !INNER.test(below)) {
    const message = `${shown}: files there control programs or hold credentials; contained commands can never write there.`;
    return { message };
  }
  if (personal && WITH_PROGRAMS.test(below)) {
    const message = `${shown} contains programs that run outside of the view; name the folders of its caches.`;
    return { message };
  }
  if (!personal && SYSTEM.test(text))
    return { message: `${shown} belongs to the system; name the folder of a cache.` };
  return undefined;
}
