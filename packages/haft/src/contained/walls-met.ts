import type { ContainmentFacts } from "@haft/core";
import type { ViewSpec } from "@haft/sandbox/internal";
import { dirname } from "node:path";
import { isPrivate } from "./view-places.ts";

/** What a command was, and what it wrote. */
export interface Met {
  command: string;
  output: string;
}

const READ_ONLY = /Read-only file system|EROFS/;
/** What something held is in can neither be removed nor moved. */
const BUSY =
  /Device or resource busy|EBUSY|^Could not remove submodule work tree |^fatal: could not remove '/m;
const BY_SSH = /^ssh: |\nssh: /;
const NO_NETWORK =
  /Network is unreachable|Could not resolve host|Temporary failure in name resolution|ENETUNREACH|EAI_AGAIN|ENOTFOUND/;
/** What connects to, or opens, what is covered. */
const CLOSED = /Permission denied|EACCES|Connection refused|ECONNREFUSED/;
/** Paths are named at most. */
const MOST = 5;
const LEAVE = "If it has to, call exec with outside: true and a reason; a person decides.";

/**
 * Which walls of a view the output of a command tells of. What the system answers a program is not seen here, so only what is
 * written in the output is named, and as that.
 *
 * @param isRefused a host was refused by the proxy, and that is told
 * @param covered sockets and FIFOs of the host that are in sight; asked for only where something was closed to the command
 */
export function wallsMet(
  { command, output }: Met,
  { mode, network }: ContainmentFacts,
  { writable, held: allHeld, hidden: allHidden }: Pick<ViewSpec, "writable" | "held" | "hidden">,
  isRefused: boolean,
  covered: () => readonly string[] = () => [],
): string[] {
  const notices: string[] = [];
  // Asked for once: each time takes the system as long as all else here.
  const home = process.env["HOME"];
  if (READ_ONLY.test(output) || BUSY.test(output)) {
    const isBusy = BUSY.test(output);
    const held = allHeld.filter(
      (path) => names(output, path, home) || (isBusy && isWord(writable, output, dirname(path))),
    );
    const where =
      mode === "read-only"
        ? "commands of this session write nowhere but in /tmp and in their own caches"
        : `commands of this session write in ${writable.slice(0, MOST).join(", ")} and in /tmp`;
    const why =
      held.length === 0
        ? ""
        : `; ${held.slice(0, MOST).join(", ")} ${held.length === 1 ? "stays" : "stay"} as is, because others run what is there${isBusy ? ", so what that is in is neither removed nor moved as a whole" : ""}`;
    notices.push(`Read-only: ${where}${why}. ${LEAVE}`);
  }
  // Of a folder that the view has for itself, what is there is its own.
  const said = `${command}\n${output}`;
  const hidden = allHidden.filter(
    (path) => !isPrivate(path) && (names(said, path, home) || isWord(writable, command, path)),
  );
  if (hidden.length > 0)
    notices.push(
      `Hidden, so empty for commands of this session: ${hidden.slice(0, MOST).join(", ")}. ${LEAVE}`,
    );
  const doors = CLOSED.test(output)
    ? covered().filter((path) => names(said, path, home) || isWord(writable, command, path))
    : [];
  if (doors.length > 0)
    notices.push(
      `Covered, because programs of this machine are behind it: ${doors.slice(0, MOST).join(", ")}. ${LEAVE}`,
    );
  if (network !== "full" && !isRefused && NO_NETWORK.test(output))
    notices.push(
      BY_SSH.test(output)
        ? `No ssh: it takes no proxy, and neither keys nor agents are there, so no host on a list helps. Use https where there is that. ${LEAVE}`
        : `No network but by the proxy in HTTPS_PROXY, which lets ${
            network === "none" ? "no host" : "the hosts of a list"
          } through, and which this program did not take. Hosts are asked for with network: ["packages.example.com"].`,
    );
  return notices;
}

/** Whole, from the home folder on, or as its own name where that says enough. */
function names(text: string, path: string, home: string | undefined): boolean {
  if (text.includes(path)) return true;
  if (home === undefined || !path.startsWith(`${home}/`)) return tail(path).some((one) => text.includes(one));
  return text.includes(`~${path.slice(home.length)}`);
}

/** `.git/config` of `/work/project/.git/config`: programs name files from where they are. */
function tail(path: string): string[] {
  const parts = path.split("/");
  return parts.length > 3 ? [parts.slice(-2).join("/")] : [];
}

/** `.env` of a root, as a word of its own: commands name files from where they are. */
function isWord(roots: readonly string[], text: string, path: string): boolean {
  const root = roots.find((one) => path.startsWith(`${one}/`));
  if (root === undefined) return false;
  const name = path.slice(root.length + 1);
  return text.split(WORD_ENDS).some((word) => word === path || word === name || word === `./${name}`);
}

const WORD_ENDS = /[\s"'=<>:;|&()]+/;
