import { z } from '@hono/zod-openapi';

export const problemSchema = z
  .object({
    type: z.string().openapi({ description: 'Stable name of the kind of problem, as a URN.' }),
    title: z.string().describe('The kind of problem in words.'),
    status: z.int().describe('The HTTP status, once more.'),
    detail: z
      .string()
      .openapi({ description: 'What is wrong with this request, and what to change.' }),
    errors: z
      .array(
        z.object({
          path: z
            .string()
            .describe(
              'Where it stands: names and indexes with dots between them, such as `0.role`.',
            ),
          message: z.string().describe('What it has to be instead.'),
        }),
      )
      .optional()
      .openapi({ description: 'On validation: the offending fields, at most 100.' }),
  })
  .openapi('Problem', {
    description: 'Why a request was refused. Branch on `type`, show `detail`.',
    example: {
      type: 'urn:palimpsest:problem:session-not-found',
      title: 'Session not found',
      status: 404,
      detail:
        'there is no session with this id: GET /sessions lists those there are, POST /sessions creates one',
    },
  });
