import { join, resolve } from "node:path";

/** Where in the state folder is what concerns other machines. Each folder is its owner's alone, and no session gets at it. */
export interface NodeFolders {
  host: string;
  pairings: string;
  node: string;
  hosts: string;
}

export function nodeFolders(stateDir: string): NodeFolders {
  const [host, node] = [join(resolve(stateDir), "nodes"), join(resolve(stateDir), "node")];
  return { host, pairings: join(host, "paired"), node, hosts: join(node, "hosts") };
}
