import { defineConfig } from 'vitest/config';
import { docker } from './test/support/vitest-projects.ts';

/** `npm run test:docker`: the image and the service in real containers. It needs Linux and, where no engine answers, root. */
export default defineConfig({ test: { projects: [docker()] } });
