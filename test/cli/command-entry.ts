// The command line as bin/drillyard.js starts it, of the build that the tests are of.
import { main } from '../../src/cli/main.js';

await main(process.argv.slice(2));
