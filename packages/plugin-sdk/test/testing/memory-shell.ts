import type { ProcessInfo, Processes } from "@haft/core";
import {
  type FolderNode,
  newFile,
  newFolder,
  newLink,
  newPipe,
  type Node,
  put,
} from "../../src/testing/memory/memory-tree.ts";
import { walk } from "../../src/testing/memory/memory-walk.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (node: Node | undefined) => (node?.type === "file" ? new TextDecoder().decode(node.bytes) : "");

/** Programs that change attributes which files in memory do not have. */
const MISSING_PROGRAMS = ["setfacl"];

/**
 * The few commands by which the contract of files prepares its places and looks at them, on files in memory: they go to the
 * tree itself, beside the file system that is tried.
 */
export function memoryShell(root: FolderNode): Processes {
  const outputs = new Map<string, string>();
  const exitCodes = new Map<string, number>();
  const unused = () => Promise.reject(new Error("the contract of files does not need it"));
  let last = 0;
  return {
    start: async (_callerId, spec) => {
      const id = `shell-${++last}`;
      const { script, cwd } = spec as { script: string; cwd: string };
      const folder = walk(root, { verb: "enter", path: cwd }).node as FolderNode;
      const isMissing = MISSING_PROGRAMS.some((program) => script.startsWith(`${program} `));
      outputs.set(id, isMissing ? "" : runScript(folder, script));
      exitCodes.set(id, isMissing ? 127 : 0);
      return { id, exitCode: exitCodes.get(id) } as unknown as ProcessInfo;
    },
    wait: async (id) => ({ id, exitCode: exitCodes.get(id) }) as unknown as ProcessInfo,
    read: async (id) => {
      const output = bytes(outputs.get(id)!);
      const chunks = [{ stream: "stdout", bytes: output }];
      return { chunks, next: output.length, total: output.length } as never;
    },
    identify: unused,
    info: unused,
    list: unused,
    write: unused,
    closeStdin: unused,
    signal: unused,
    kill: unused,
    resize: unused,
    release: unused,
  };
}

function runScript(folder: FolderNode, script: string): string {
  const loop = /^i=0; while \[ \$i -lt (\d+) \]; do : >"(.*)\$i"; i=\$\(\(i\+1\)\); done$/.exec(script);
  if (loop !== null) {
    for (let i = 0; i < Number(loop[1]); i++) put(folder, `${loop[2]}${i}`, newFile(bytes("")));
    return "";
  }
  return script
    .split(";")
    .map((command) => runCommand(folder, command.trim()))
    .join("");
}

function runCommand(folder: FolderNode, command: string): string {
  const [, before, , name] = /^(.*?) *(>) *(\S+)$/.exec(command) ?? [];
  if (before !== undefined) {
    const [program, ...words] = before.split(" ");
    put(folder, name!, newFile(bytes(words.join(" ") + (program === "echo" ? "\n" : ""))));
    return "";
  }
  const [program, ...words] = command.split(" ");
  const names = words.filter((word) => !word.startsWith("-"));
  const isSymbolic = words.includes("-s");
  switch (program!) {
    case "touch":
      for (const path of names) at(folder, path, newFile(bytes("")));
      return "";
    case "mkdir":
      for (const path of names) at(folder, path, newFolder());
      return "";
    case "mkfifo":
      for (const path of names) at(folder, path, newPipe());
      return "";
    case "truncate":
      at(folder, names[1]!, newFile(new Uint8Array(Number(names[0]))));
      return "";
    case "ln": {
      const [to, path] = names as [string, string];
      const node = isSymbolic ? newLink(to) : folder.entries.get(to)!;
      if (node.type === "file") node.links++;
      at(folder, path, node);
      return "";
    }
    case "cat":
      return text(folder.entries.get(names[0]!));
    case "ls": {
      const all = [...folder.entries.keys()];
      return command.endsWith("| wc -l") ? `${all.length}\n` : all.map((each) => `${each}\n`).join("");
    }
    case "find":
      return `${[".", ...below(folder, ".")].toSorted().join("\n")}\n`;
    default:
      throw new Error(`${command}: not known here`);
  }
}

function at(folder: FolderNode, path: string, node: Node): void {
  const names = path.split("/");
  const inner = names.slice(0, -1).reduce((up, name) => up.entries.get(name) as FolderNode, folder);
  put(inner, names.at(-1)!, node);
}

function below(folder: FolderNode, path: string): string[] {
  return [...folder.entries].flatMap(([name, node]) => [
    `${path}/${name}`,
    ...(node.type === "directory" ? below(node, `${path}/${name}`) : []),
  ]);
}
