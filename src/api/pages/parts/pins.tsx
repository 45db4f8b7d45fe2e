import type { PinShown } from '../../../app/list-pins.ts';
import { LONGEST_PIN_TEXT } from '../../schemas/pins.ts';
import type { Visitor } from '../access.ts';
import { itemPath, sessionPath } from '../paths.ts';
import { Confirm } from './confirm.tsx';
import { beginning, count } from './figures.tsx';
import { FateTag } from './tags.tsx';

const CHARACTERS = 300;

/** What is pinned in a session, each with the way to take the pin away. */
export function PinList({
  visitor,
  id,
  pins,
}: {
  visitor: Visitor;
  id: string;
  pins: readonly PinShown[];
}) {
  if (pins.length === 0) return null;
  return (
    <section aria-labelledby="pinned">
      <h2 id="pinned">
        Pinned
        <small> · stands word for word in every context, whatever is compacted</small>
      </h2>
      <ul class="pins">
        {pins.map((pin, index) => (
          <li class="card">
            <p>
              <FateTag fate="kept" label="pinned" />{' '}
              {pin.seq === null ? (
                beginning(pin.text ?? '', CHARACTERS)
              ) : (
                <a href={itemPath(id, pin.seq)}>item #{pin.seq}</a>
              )}{' '}
              <span class="faint">{count(pin.tokens)} tokens</span>
            </p>
            <Unpin visitor={visitor} id={id} pin={pin.id} place={`unpin-${index + 1}`} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Keeps an item word for word in every context. */
export function PinItem({ visitor, id, seq }: { visitor: Visitor; id: string; seq: number }) {
  return (
    <Confirm
      id="pin"
      label="Pin this item"
      action={`${sessionPath(id)}/pins`}
      visitor={visitor}
      does="It stands word for word in every context from now on, with what it cannot stand without: no compaction clears or summarises it, and what one has taken away comes back."
    >
      <input type="hidden" name="seq" value={seq} />
    </Confirm>
  );
}

/** Keeps a text of the visitor's own in every context. */
export function PinText({ visitor, id }: { visitor: Visitor; id: string }) {
  return (
    <Confirm
      id="pin-a-text"
      label="Pin a text"
      action={`${sessionPath(id)}/pins`}
      visitor={visitor}
      does="The model sees it in every context from now on, as a message of the user that no compaction takes away."
    >
      <label for="pin-text">What has to be kept</label>
      <textarea id="pin-text" name="text" rows={3} required maxlength={LONGEST_PIN_TEXT} />
    </Confirm>
  );
}

/** `seq`: the item whose page it stands on, where the visitor comes back to. */
export function Unpin({
  visitor,
  id,
  pin,
  place,
  seq = null,
}: {
  visitor: Visitor;
  id: string;
  pin: string;
  place: string;
  seq?: number | null;
}) {
  return (
    <Confirm
      id={place}
      label="Unpin"
      action={`${sessionPath(id)}/pins/${encodeURIComponent(pin)}/remove`}
      visitor={visitor}
      does="It stands in the context as far as compactions have left it there: what one has summarised meanwhile goes. The log keeps it."
    >
      {seq !== null && <input type="hidden" name="seq" value={seq} />}
    </Confirm>
  );
}
