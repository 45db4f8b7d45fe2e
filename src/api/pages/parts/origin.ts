import { isJsonObject, type JsonObject, stringField } from '../../../domain/json.ts';
import { beginning } from './figures.tsx';

const MOST = 80;

/** Where a session comes from, in words: its id alone often says nothing. Null where nobody has said it. */
export function originWords({ gateway, imported_from }: JsonObject): string | null {
  if (isJsonObject(gateway)) {
    const name = stringField(gateway, 'name');
    const upstream = stringField(gateway, 'upstream');
    const by = `through the gateway${upstream === undefined ? '' : ` to ${beginning(upstream, MOST)}`}`;
    return name === undefined ? by : `${beginning(name, MOST)}, ${by}`;
  }
  return typeof imported_from === 'string' ? `imported: ${beginning(imported_from, MOST)}` : null;
}
