// The packages of src/optional-parts.ts, each with the release that the lock pins: what the image adds.
import { readFileSync } from 'node:fs';

/** What an adapter talks to, and the service does not use. */
const OF_ADAPTERS =
  /^(?:@anthropic-ai\/claude-agent-sdk|@langchain\/core|@openai\/agents|langchain)$/;

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const names = Object.keys(manifest.peerDependencies).filter((name) => !OF_ADAPTERS.test(name));
console.log(names.map((name) => `${name}@${manifest.devDependencies[name]}`).join(' '));
