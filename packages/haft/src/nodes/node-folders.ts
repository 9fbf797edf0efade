import { join, resolve } from "node:path";

/** Where in the state folder is what concerns other machines. Each folder is its owner's alone, and no session gets at it. */
export interface NodeFolders {
  /** The identity of this machine as a host. */
  host: string;
  /** What was decided about nodes. */
  pairings: string;
  /** The identity of this machine as a node, and which of its programs is it. */
  node: string;
  /** The hosts that it knows. */
  hosts: string;
}

export function nodeFolders(stateDir: string): NodeFolders {
  const [host, node] = [join(resolve(stateDir), "nodes"), join(resolve(stateDir), "node")];
  return { host, pairings: join(host, "paired"), node, hosts: join(node, "hosts") };
}
