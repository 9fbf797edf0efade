import { baseName, isSystemName } from "../words/names.ts";
import { isDisplayAssignment } from "./wrappers/wrappers.ts";

/** Verbosity and mode, without files or code. */
const PLAIN =
  /^(?:NODE_ENV|DEBUG|PORT|LOG_LEVEL|VERBOSE|RUST_LOG|RUST_BACKTRACE|CARGO_TERM_COLOR|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED)$/;
/** A value without special characters for shells and Makefiles. */
const PLAIN_VALUE = /^[\w.:,*-]*$/;
/** These read only variables of their libraries, and a few of their own. */
const DEAF = new Set(
  (
    "basename cat cksum cmp comm cut dirname echo expr false fold head ls md5sum mkdir nl od paste printf pwd readlink realpath " +
    "rev rm rmdir seq sha1sum sha256sum sha512sum sleep stat sum tac tail touch tr true uniq wc"
  ).split(" "),
);
/** Includes variables of libraries, loaders and shells. */
const READ =
  /^(?:LD_|DYLD_|MALLOC_|GLIBC|GCONV|LOC|NLS|LANG|LC_|RES_|HOST|GETCONF|TZ|TMP|POSIX|_|LS_|TIME_|BLOCK|QUOTING|TABSIZE|D[FU]_|PATH|HOME|IFS|BASH|ENV|SHELL|SHLVL|PS\d|CDPATH|FUNC|OPT|RANDOM|SECONDS|LINENO|UID|EUID|PPID|PWD|OLDPWD|HIST|TERM|GLOB|FIGNORE|PROMPT|REPLY|EXEC|MAIL|COLUMNS|LINES|SIMPLE|VERSION_CONTROL|COMP_|DIRSTACK|GROUPS|MACHTYPE|OSTYPE|PIPESTATUS|EPOCH|SRANDOM|INPUTRC|KSH|ZSH|VIRTUAL|OPENSSL|SSL_|KRB5|LDAP|SASL|NSS_|SYSTEMD_)/;

/** Returns whether a variable affects neither the started programs nor the used files. */
export function isHarmlessVariable(name: string, value: string, argv: readonly string[]): boolean {
  if (isDisplayAssignment(`${name}=${value}`)) return true;
  if (PLAIN.test(name) && PLAIN_VALUE.test(value)) return true;
  const [program = ""] = argv;
  return isLineVariable(name) && isSystemName(program) && DEAF.has(baseName(program));
}

/** Returns whether only the line itself uses the variable. */
export function isLineVariable(name: string): boolean {
  // These also have lower-case names.
  return !READ.test(name) && !/(?:_proxy|^npm_.*)$/i.test(name);
}
