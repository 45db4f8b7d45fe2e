import { describe, expect, it } from 'vitest';
import { errorFields } from '../src/error-fields.ts';

const frame = expect.stringMatching(/^at .+/);

describe('errorFields', () => {
  it('tells name, code and where it came from', () => {
    const error = Object.assign(new RangeError('x'), { code: 'SQLITE_BUSY' });
    const fields = errorFields(error);
    expect(fields).toEqual({ name: 'RangeError', code: 'SQLITE_BUSY', frames: expect.anything() });
    expect(fields.frames[0]).toContain('error-fields.test.ts');
    expect(fields.frames).toEqual(fields.frames.map(() => frame));
  });

  it('tells the code of a server, too', () => {
    const error = Object.assign(new Error('x'), { code: '57P01' });
    expect(errorFields(error)).toMatchObject({ code: '57P01' });
  });

  it.each([
    ['one line', 'PRIVATE words'],
    ['lines', 'the item says\nPRIVATE words\n'],
    ['lines that look like frames', 'broken:\n    at PRIVATE words\n    at PRIVATE (more:1:2)'],
  ])('never its message: %s', (_name, message) => {
    const error = new Error(message, { cause: new Error('PRIVATE cause') });
    const fields = errorFields(error);
    expect(JSON.stringify(fields)).not.toContain('PRIVATE');
    expect(fields.frames.length).toBeGreaterThan(0);
  });

  it('nor a code that is a text', () => {
    const error = Object.assign(new Error('x'), { code: 'PRIVATE words' });
    expect(errorFields(error)).not.toHaveProperty('code');
  });

  it.each(['PRIVATE words', null, undefined, 7])(
    'of %j, which is no error, only the type',
    (value) => {
      expect(errorFields(value)).toEqual({ name: typeof value, frames: [] });
    },
  );
});
