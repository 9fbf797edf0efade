export const SHELL_RUNNER = "echo stub\n";
