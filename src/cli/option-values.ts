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
