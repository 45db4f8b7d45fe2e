import { z } from '@hono/zod-openapi';
import { contextLevels, runningCompaction } from './session-parts.ts';
