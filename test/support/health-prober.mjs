// Asks the /healthz of the service whose address it is given, again and again. For each line that it
// reads it prints the longest time, in milliseconds, that an answer has taken since the line before.
// A process of its own: whoever sends large requests is held up by them himself.
import { Agent, get } from 'node:http';
import { createInterface } from 'node:readline';

const EVERY_MS = 5;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let longest = 0;
let asked = null;

function ask() {
  asked = performance.now();
  get(`${process.argv[2]}/healthz`, { agent }, (answer) => {
    answer.resume();
    answer.once('end', () => {
      longest = Math.max(longest, performance.now() - asked);
      asked = null;
      setTimeout(ask, EVERY_MS);
    });
  }).once('error', () => process.exit(1));
}

createInterface(process.stdin)
  .on('line', () => {
    // What is still waited for counts, as far as it has come.
    console.log(Math.max(longest, asked === null ? 0 : performance.now() - asked));
    longest = 0;
  })
  .once('close', () => process.exit(0));
ask();
