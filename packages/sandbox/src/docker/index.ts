export { createDockerBackend } from "./docker-backend.ts";
export type { DockerOptions } from "./docker-backend.ts";
export { createHostUsrImage, HOST_USR_IMAGE } from "./host-usr-image.ts";
export { Engine } from "./engine.ts";
export { findEngineSocket } from "./engine-socket.ts";
export type { DockerRunner } from "./runners.ts";
