import { run } from './.dev-g/bench/drill.js';
const a = process.cpuUsage(), t=performance.now();
console.log(await run({drills:200}));
const c = process.cpuUsage(a); console.log('cpu user',c.user/1e3,'sys',c.system/1e3,'wall',performance.now()-t);
