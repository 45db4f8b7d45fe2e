import { z } from 'zod';
import { describeFlaw, flawOf, JSON_DEPTH } from '../../domain/exact-json.ts';
import { IN_PLAIN_WORDS } from '../../domain/issue-words.ts';
import { codecFor, type Format } from '../../domain/items/codecs.ts';
import type { Item } from '../../domain/items/item.ts';
import type { Json } from '../../domain/json.ts';
import { checkItems } from '../../domain/session/check-items.ts';
import type { HookResult } from '../../domain/session/hook-result.ts';
import type { HookEvent } from './hook-settings.ts';

const text = z.string().max(20_000).optional();
const preCompact = z.object({
  new_custom_instructions: text,
  user_display_message: text,
  block: z.boolean().optional(),
});
const MOST_ITEMS = 100;
const withItems = z.object({ items: z.array(z.unknown()).max(MOST_ITEMS).optional() });

type HookAnswer = { ok: true; result: HookResult } | { ok: false; error: string };

/**
 * What the body of a hook's answer says, or why it cannot be used, in words that quote nothing of it
 * (SPEC section 16). An empty body says nothing; fields that the event does not have are ignored.
 */
export function readHookAnswer(event: HookEvent, body: string, format: Format): HookAnswer {
  if (body.trim() === '') return { ok: true, result: {} };
  const flaw = flawOf(body, JSON_DEPTH);
  if (flaw !== null) return refused(describeFlaw(flaw, JSON_DEPTH, 'the answer'));
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return refused('the answer is not valid JSON');
  }
  if (event === 'PreCompact') {
    const parsed = preCompact.safeParse(json, IN_PLAIN_WORDS);
    return parsed.success ? { ok: true, result: defined(parsed.data) } : misshapen(parsed.error);
  }
  const parsed = withItems.safeParse(json, IN_PLAIN_WORDS);
  if (!parsed.success) return misshapen(parsed.error);
  // What came out of JSON.parse is JSON.
  return hookItems((parsed.data.items ?? []) as Json[], format);
}

/** Only what needs no pairing: a call or a result of a tool would belong to nothing. */
function hookItems(posted: readonly Json[], format: Format): HookAnswer {
  const checked = checkItems(format, 'items', posted);
  if (!checked.ok) {
    const { path, message } = checked.errors[0] ?? { path: 'items', message: 'does not fit' };
    return refused(`the answer's ${path} is not an item of format "${format}": ${message}`);
  }
  const wrong = checked.items.findIndex((item) => !isTextual(item, format));
  if (wrong !== -1) {
    return refused(
      `the answer's items.${wrong} is neither a message of text and images nor an attachment`,
    );
  }
  return { ok: true, result: checked.items.length === 0 ? {} : { items: checked.items } };
}

function isTextual(item: Item, format: Format): boolean {
  const normalised = codecFor(format).normalise(item);
  if (normalised.kind === 'attachment') return true;
  if (normalised.kind !== 'message') return false;
  return normalised.parts.every(({ kind }) => kind === 'text' || kind === 'image');
}

/** Without the fields that the answer leaves out: `undefined` is no JSON. */
function defined(fields: z.infer<typeof preCompact>): HookResult {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function misshapen(error: z.ZodError): HookAnswer {
  const issue = error.issues[0];
  const path = issue?.path.join('.') || 'body';
  return refused(`the answer's ${path} does not fit: ${issue?.message ?? 'invalid'}`);
}

function refused(error: string): HookAnswer {
  return { ok: false, error };
}
