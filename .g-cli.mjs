import { main } from './.dev-g/src/cli/main.js';
await main(process.argv.slice(2));
