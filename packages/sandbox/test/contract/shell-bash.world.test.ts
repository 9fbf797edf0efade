import { shellContract } from "./shell.ts";

shellContract("bash --posix");
