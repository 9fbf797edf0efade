#!/usr/bin/env -S node --conditions=@haft/source
// The command of this repository, on the sources and without a build; not published.
import "../src/main.ts";
