import { answerJobs } from "../scheduling/answer-jobs.ts";
import { searchText } from "./search-text.ts";

answerJobs(searchText);
