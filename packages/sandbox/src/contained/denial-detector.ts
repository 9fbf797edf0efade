import type { ContainmentFacts } from "@haft/core";
import { dirname } from "node:path";
import type { ViewSpec } from "../view/view-spec.ts";
import { isPrivatePath } from "./view-paths.ts";

export interface CommandOutput {
  command: string;
  output: string;
}

const READ_ONLY = /Read-only file system|EROFS/;
/** Errors for moving or removing a folder around a protected path. */
const BUSY =
  /Device or resource busy|EBUSY|^Could not remove submodule work tree |^fatal: could not remove '/m;
const BY_SSH = /^ssh: |\nssh: /;
const NO_NETWORK =
  /Network is unreachable|Could not resolve host|Temporary failure in name resolution|ENETUNREACH|EAI_AGAIN|ENOTFOUND/;
/** Errors for a masked path. */
const CLOSED = /Permission denied|EACCES|Connection refused|ECONNREFUSED/;
const MAX_NAMED_PATHS = 5;
const LEAVE = "If the command needs this, call exec with outside: true and a reason. A person decides.";

export type DenialDetector = (met: CommandOutput, isRefused: boolean) => string[];

/** Finds refusals in the output, because answers of the system are not visible here. `covered` is called only after a refusal. */
export function createDenialDetector(
  { mode, network }: ContainmentFacts,
  { writable, readOnly: allHeld, hidden: allHidden }: Pick<ViewSpec, "writable" | "readOnly" | "hidden">,
  covered: () => readonly string[] = () => [],
): DenialDetector {
  const home = process.env["HOME"];
  const named = (path: string): Named => namedIn(path, writable, home);
  // A private folder of the view has its own content.
  const hiddenPlaces = allHidden.filter((path) => !isPrivatePath(path)).map(named);
  return ({ command, output }, isRefused) => {
    const notices: string[] = [];
    if (READ_ONLY.test(output) || BUSY.test(output)) {
      const isBusy = BUSY.test(output);
      const held = allHeld.filter(
        (path) => isNamed(output, named(path)) || (isBusy && isWord(output, named(dirname(path)))),
      );
      const where =
        mode === "read-only"
          ? "commands of this session can write only in /tmp and in their own caches"
          : `commands of this session can write only in ${writable.slice(0, MAX_NAMED_PATHS).join(", ")} and in /tmp`;
      const why =
        held.length === 0
          ? ""
          : `; ${held.slice(0, MAX_NAMED_PATHS).join(", ")} cannot be changed, because programs outside this session run files there${isBusy ? ", and a folder that contains it cannot be removed or moved" : ""}`;
      notices.push(`Read-only: ${where}${why}. ${LEAVE}`);
    }
    const said = `${command}\n${output}`;
    const isMet = (one: Named): boolean => isNamed(said, one) || isWord(command, one);
    const hidden = hiddenPlaces.filter(isMet).map(({ path }) => path);
    if (hidden.length > 0)
      notices.push(
        `Hidden, so commands of this session see nothing there: ${hidden.slice(0, MAX_NAMED_PATHS).join(", ")}. ${LEAVE}`,
      );
    const doors = CLOSED.test(output) ? covered().filter((path) => isMet(named(path))) : [];
    if (doors.length > 0)
      notices.push(
        `Covered, because programs of this machine listen there: ${doors.slice(0, MAX_NAMED_PATHS).join(", ")}. ${LEAVE}`,
      );
    if (network !== "full" && !isRefused && NO_NETWORK.test(output))
      notices.push(
        BY_SSH.test(output)
          ? `No ssh: ssh does not use the proxy, and commands of this session have no keys or agents. Allowing a host does not help. Use https if the host supports it. ${LEAVE}`
          : `No network except through the proxy in HTTPS_PROXY. The proxy allows ${
              network === "none" ? "no host" : "only listed hosts"
            }, and this program did not use it. Request a host with network: ["packages.example.com"].`,
      );
    return notices;
  };
}

interface Named {
  path: string;
  /** Forms in the output: whole, from the home folder on, or a specific name alone. */
  forms: readonly string[];
  inRoot: string | undefined;
}

function namedIn(path: string, roots: readonly string[], home: string | undefined): Named {
  const root = roots.find((one) => path.startsWith(`${one}/`));
  const inHome = home !== undefined && path.startsWith(`${home}/`);
  const forms = [path, ...(inHome ? [`~${path.slice(home.length)}`] : tail(path))];
  return { path, forms, inRoot: root === undefined ? undefined : path.slice(root.length + 1) };
}

/** `.git/config` of `/work/project/.git/config`, because programs print relative paths. */
function tail(path: string): string[] {
  const parts = path.split("/");
  return parts.length > 3 ? [parts.slice(-2).join("/")] : [];
}

function isNamed(text: string, { forms }: Named): boolean {
  return forms.some((one) => text.includes(one));
}

function isWord(text: string, { path, inRoot }: Named): boolean {
  if (inRoot === undefined || !text.includes(inRoot)) return false;
  return text.split(WORD_ENDS).some((word) => word === path || word === inRoot || word === `./${inRoot}`);
}

const WORD_ENDS = /[\s"'=<>:;|&()]+/;
