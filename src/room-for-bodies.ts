import { totalmem } from 'node:os';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { AppDependencies } from './api/app-dependencies.ts';
import { createApp } from './api/create-app.ts';
import { MOST_BYTES } from './api/gateway/body.ts';
import { BodyRoom } from './api/http/body-room.ts';

/** Of the memory that there is: what is made of a body takes some times as much. */
const PART_OF_MEMORY = 1 / 16;

/** A part of the memory, or room for two bodies that are as large as may be; one of several tenants takes half. */
function roomForBodies({ keys, limits }: AppDependencies): BodyRoom {
  const largest = Math.max(MOST_BYTES, limits.body_bytes);
  const most = Math.max(2 * largest, memoryBytes() * PART_OF_MEMORY);
  return new BodyRoom(most, keys.length > 1 ? most / 2 : most);
}

/** The API where bodies of requests under way take so much room at most. */
export function createRoomyApp(
  api: AppDependencies,
  room = roomForBodies(api),
): Pick<OpenAPIHono, 'fetch' | 'router'> {
  const app = createApp({ ...api, limits: { ...api.limits, room } });
  return {
    router: app.router,
    fetch: async (request, bindings) => {
      try {
        return await app.fetch(request, bindings);
      } finally {
        room.leave(request);
      }
    },
  };
}

/** Of this machine, or of the container. */
function memoryBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}
