export { FOLDER_OPTIONS } from "../processes/folder-options.ts";
