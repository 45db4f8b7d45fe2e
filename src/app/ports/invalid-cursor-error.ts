/** A cursor that this list did not give out; the API answers 400. */
export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError';

  constructor() {
    super('The cursor is not one that this list gave out; start again without a cursor.');
  }
}
