import { z } from 'zod';
import { jsonObjectSchema } from '../json.ts';

/** What a hook answered, as far as it is used (SPEC section 16). */
export const hookResultSchema = z.strictObject({
  new_custom_instructions: z.string().exactOptional(),
  user_display_message: z.string().exactOptional(),
  block: z.boolean().exactOptional(),
  items: z.array(jsonObjectSchema).exactOptional(),
});
export type HookResult = z.infer<typeof hookResultSchema>;
