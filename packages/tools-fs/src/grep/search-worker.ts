import { answerJobs } from "../scheduling/worker-thread.ts";
import { searchText } from "./search-text.ts";

answerJobs(searchText);
