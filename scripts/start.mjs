// `npm start`: builds when needed, then serves in the same process.
import './build-if-needed.mjs';

process.argv.splice(2, 0, 'serve');
await import('../dist/cli.js');
