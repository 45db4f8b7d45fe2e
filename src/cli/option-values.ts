import { InvalidArgumentError } from 'commander';

/** Reads a whole number of an option or argument; commander says what is wrong with another value. */
export function wholeNumber(min: number, max: number, unit: string): (value: string) => number {
  const isOpen = max === Number.MAX_SAFE_INTEGER;
  const range = isOpen ? `above ${min - 1}` : `from ${min} to ${max}`;
  return (value) => {
    const number = Number(value);
    const isNumber = /^\d+$/.test(value) && Number.isSafeInteger(number);
    if (isNumber && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`it must be a whole number of ${unit} ${range}`);
  };
}

const UNIT_MS = { h: 3_600_000, d: 86_400_000 };

/** Reads an age such as `30d` or `12h`, in milliseconds; commander says what is wrong with another value. */
export function age(value: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([hd])$/.exec(value) ?? [];
  if (unit === 'h' || unit === 'd') return Number(count) * UNIT_MS[unit];
  throw new InvalidArgumentError('it must be a number of days or hours, such as 30d or 12h');
}
