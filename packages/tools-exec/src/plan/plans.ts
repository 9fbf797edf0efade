// All that is loaded when a command is first planned: through load-plans.ts.
export { planCommand } from "./plan-command.ts";
export { planInput } from "./plan-input.ts";
export { refuseSelfApprovalIn } from "./refuse/refuse-self-approval.ts";
