import { posix } from "node:path";
import type { Mount } from "../../contract/ports.ts";

export interface RiskContext {
  cwd: string;
  mounts: readonly Mount[];
}

/** Marks usual secret files; protects nothing. */
const SECRETS: readonly RegExp[] = [
  /(^|\/)\.(ssh|gnupg|aws|azure|kube|docker|password-store)(\/|$)/,
  /(^|\/)\.config\/(gcloud|gh|op|rclone)(\/|$)/,
  /(^|\/)\.(env|envrc|netrc|pgpass|my\.cnf|npmrc|yarnrc|pypirc|git-credentials|vault-token|htpasswd|s3cfg|dockercfg)$/,
  /(^|\/)\.env\.(?!example$|sample$|template$|dist$)[^/]+$/,
  /(^|\/)(id_(rsa|dsa|ecdsa|ed25519)|credentials(\.(json|ya?ml|toml|ini|db))?|secrets?\.(json|ya?ml|toml|env|txt)|secrets|private[-_.]?key)$/i,
  /\.(pem|key|p12|pfx|kdbx|keystore|jks|ppk|asc)$/i,
  /(^|\/)(login\.keychain|cookies(\.sqlite)?|logins\.json|key4\.db|Login Data)$/i,
  /(^|\/)Library\/Keychains(\/|$)/,
  /^\/etc\/(shadow|gshadow|sudoers|ssl\/private)/,
  /^\/proc\/[^/]+\/(environ|mem)$/,
  /(^|\/)\.(bash|zsh|psql|mysql|python|node_repl)_history$/,
];

export function isSecretPath(word: string): boolean {
  return SECRETS.some((pattern) => pattern.test(word));
}

/** Writes to other devices can destroy data. */
const HARMLESS_DEVICES = /^\/dev\/(null|zero|full|u?random|tty|std(in|out|err)|fd\/|shm\/|ptmx)/;

export function isDevice(word: string): boolean {
  return word.startsWith("/dev/") && !HARMLESS_DEVICES.test(word);
}

export function isRootTree(word: string): boolean {
  const path = word.replace(/\/(\*|\.)?$/, "") || "/";
  return (
    path === "/" ||
    /^(~[\w-]*|\$\{?HOME\}?)$/.test(path) ||
    /^\/(bin|boot|dev|etc|home|lib\w*|mnt|opt|proc|root|sbin|srv|sys|usr|var|Users|System|Library)(\/[^/]+)?$/.test(
      path,
    )
  );
}

export function isOutside(word: string, { cwd, mounts }: RiskContext): boolean {
  if (/^(~|\$\{?HOME\}?)/.test(word)) return true;
  if (!word.startsWith("/") && !/(^|\/)\.\.(\/|$)/.test(word)) return false;
  const path = posix.resolve(cwd, word);
  if (HARMLESS_DEVICES.test(path) || /^\/(tmp|var\/tmp|private\/tmp)(\/|$)/.test(path)) return false;
  return !mounts.some(({ path: root }) => path === root || path.startsWith(root === "/" ? "/" : `${root}/`));
}
