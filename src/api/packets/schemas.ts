import { z } from '@hono/zod-openapi';
import { compaction } from '../schemas/compaction.ts';

export const packetBody = z
  .strictObject({
    text: z
      .string()
      .regex(/\S/, 'a packet must hold some text')
      .openapi({ description: 'Cut in the middle when it is longer than `packet_max_tokens`.' }),
  })
  .openapi('PostPacket', {
    description: 'The packet that the agent was asked for.',
    example: { text: 'Goal: the build passes. Next step: run the tests again.' },
  });

export const receivedPacket = compaction
  .extend({
    packet: z
      .object({
        is_truncated: z
          .boolean()
          .openapi({ description: 'It was longer than `packet_max_tokens`, and was cut.' }),
      })
      .describe('What was made of the packet.'),
  })
  .openapi('ReceivedPacket', { description: 'The compaction that the packet is for.' });
