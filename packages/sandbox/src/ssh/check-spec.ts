import type { SandboxSpec } from "../backend.ts";
import { sshError } from "../errors.ts";
import { invalidForSsh } from "./ssh-arguments.ts";

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** @throws HaftError `INVALID_OPTIONS` */
export function checkRemote({ root, remoteNode }: { root: string; remoteNode?: string | false }): void {
  if (!root.startsWith("/") || CONTROL.test(root)) {
    const why = `the root ${JSON.stringify(root)} is not an absolute path`;
    throw invalidForSsh(why, "Name a folder of the remote machine, from `/` on.");
  }
  if (typeof remoteNode !== "string") return;
  if (remoteNode === "" || remoteNode.startsWith("-") || CONTROL.test(remoteNode)) {
    const why = `${JSON.stringify(remoteNode)} is not a program`;
    throw invalidForSsh(why, "Name Node as it is called there, or by its path.");
  }
}

/** @throws HaftError `SANDBOX_UNSUPPORTED` for what another machine cannot be held to */
export function checkSupported(spec: SandboxSpec): void {
  const refuse = (why: string, fix: string): never => {
    throw sshError("SANDBOX_UNSUPPORTED", why, fix);
  };
  if (spec.network !== "full") {
    refuse(
      "the other machine has a network, and ssh cannot take it away",
      'Say `network: "full"`, or use a backend that isolates.',
    );
  }
  if (spec.workspace === "ro") {
    refuse(
      "commands on the other machine can write what its user can write",
      'Use the workspace "rw" or "none", or a user there who may only read.',
    );
  }
  if (spec.mounts.some(({ name }) => name !== "")) {
    refuse(
      "folders of this machine are not there",
      "Leave out further mounts, or copy what is needed there.",
    );
  }
  if (spec.image !== undefined) refuse("there are no images", "Leave the image out.");
  if (spec.user !== undefined) {
    refuse("commands run as the user of the connection", "Give the `user` to createSshBackend instead.");
  }
  if (spec.lifetime !== "tethered") {
    refuse("what runs there ends with the connection", 'Use the lifetime "tethered".');
  }
  if (spec.setup?.includes("\0") === true) refuse("the setup script has a NUL in it", "Take it out.");
}
