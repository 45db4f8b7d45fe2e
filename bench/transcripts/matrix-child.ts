import { cellSchema, checkCell } from './matrix-cell.ts';

/** Checks the cells that the parent sends, one after the other, until the parent hangs up. */
process.on('message', async (message) => {
  const cell = cellSchema.parse(message);
  process.send?.(await checkCell(cell));
});
