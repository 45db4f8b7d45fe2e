import autocannon from 'autocannon';
import { z } from 'zod';
import { appendedItem } from './sample-items.ts';

/*
 * Sends appends as fast as they are answered, one session per connection, from a process of its own:
 * it must not take the event loop of what it measures. Job as JSON in the first argument; prints the
 * answered requests per second.
 */

const job = z
  .object({ url: z.url(), sessions: z.array(z.string()).min(1), seconds: z.number() })
  .parse(JSON.parse(process.argv[2] ?? '{}'));

let next = 0;
const result = await autocannon({
  url: job.url,
  connections: job.sessions.length,
  duration: job.seconds,
  setupClient: (client) => {
    const session = job.sessions[next % job.sessions.length] ?? '';
    next += 1;
    client.setRequests([
      {
        method: 'POST',
        path: `/sessions/${session}/items`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(appendedItem(next)),
      },
    ]);
  },
});
if (result.errors > 0 || result.non2xx > 0) {
  throw new Error(`${result.errors} errors, ${result.non2xx} refused requests`);
}
console.log(JSON.stringify({ per_second: result.requests.total / result.duration }));
