import { shellContract } from "./shell.ts";

shellContract("busybox");
