import type { Recipe } from './recipe.ts';

const CODEC = `import type { Codec } from '../codec.ts';
import { openaiChatCodec } from '../openai-chat/codec.ts';

/** Messages of a chat API that is like another. */
export const likeChatCodec: Codec = { ...openaiChatCodec };
`;

export const format: Recipe = {
  name: 'A format',
  most: 3,
  steps: [
    {
      path: 'src/domain/items/codecs.ts',
      kind: 'first',
      change: {
        after: "  'openai-chat': openaiChatCodec,\n",
        insert: "  'like-chat': likeChatCodec,\n",
      },
    },
    {
      path: 'src/domain/items/codecs.ts',
      kind: 'needed',
      change: {
        after: "import type { Codec } from './codec.ts';\n",
        insert: "import { likeChatCodec } from './like-chat/codec.ts';\n",
      },
    },
    { path: 'src/domain/items/like-chat/codec.ts', kind: 'further', change: { create: CODEC } },
    {
      path: 'src/workers/summarizers/providers.ts',
      kind: 'further',
      change: {
        after: "const OPENAI_FORMATS = ['openai-responses', 'openai-chat'",
        insert: ", 'like-chat'",
      },
    },
  ],
};
