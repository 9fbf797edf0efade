import { baseName, isSystemName } from "../words/names.ts";
import { isDisplayAssignment } from "./wrappers/wrappers.ts";

/** Variables that programs ask how much they should say, and for what they run: no file, no code. */
const PLAIN =
  /^(?:NODE_ENV|DEBUG|PORT|LOG_LEVEL|VERBOSE|RUST_LOG|RUST_BACKTRACE|CARGO_TERM_COLOR|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED)$/;
/** A value in which no shell, and no language of a Makefile, finds anything. */
const PLAIN_VALUE = /^[\w.:,*-]*$/;
/** Programs that look at no variables but those of their libraries, and a few of their own. */
const DEAF = new Set(
  (
    "basename cat cksum cmp comm cut dirname echo expr false fold head ls md5sum mkdir nl od paste printf pwd readlink realpath " +
    "rev rm rmdir seq sha1sum sha256sum sha512sum sleep stat sum tac tail touch tr true uniq wc"
  ).split(" "),
);
/** What libraries, loaders, shells and those programs ask for. */
const HEARD =
  /^(?:LD_|DYLD_|MALLOC_|GLIBC|GCONV|LOC|NLS|LANG|LC_|RES_|HOST|GETCONF|TZ|TMP|POSIX|_|LS_|TIME_|BLOCK|QUOTING|TABSIZE|D[FU]_|PATH|HOME|IFS|BASH|ENV|SHELL|SHLVL|PS\d|CDPATH|FUNC|OPT|RANDOM|SECONDS|LINENO|UID|EUID|PPID|PWD|OLDPWD|HIST|TERM|GLOB|FIGNORE|PROMPT|REPLY|EXEC|MAIL|COLUMNS|LINES|SIMPLE|VERSION_CONTROL|COMP_|DIRSTACK|GROUPS|MACHTYPE|OSTYPE|PIPESTATUS|INPUTRC|KSH|ZSH|VIRTUAL|OPENSSL|SSL_|KRB5|LDAP|SASL|NSS_|SYSTEMD_)/;

/** Whether a variable changes neither what this program starts nor which files it takes. */
export function isHarmlessVariable(name: string, value: string, argv: readonly string[]): boolean {
  if (isDisplayAssignment(`${name}=${value}`)) return true;
  if (PLAIN.test(name) && PLAIN_VALUE.test(value)) return true;
  const [program = ""] = argv;
  return isLineVariable(name) && isSystemName(program) && DEAF.has(baseName(program));
}

/** Whether it means nothing but what the line itself makes of it. */
export function isLineVariable(name: string): boolean {
  // Others in small letters are known: proxies, and the settings of npm.
  return !HEARD.test(name) && !/(?:_proxy|^npm_.*)$/i.test(name);
}
