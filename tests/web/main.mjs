// main: all tests of the page; words on the command line choose some of them.
import "./try.mjs";
import "./hostile.mjs";
import "./rooms.mjs";
import "./plain.mjs";
import "./look.mjs";
import {runTests} from "./lib.mjs";

process.exitCode = await runTests(process.argv.slice(2));
