import { describe, expect, it } from 'vitest';
import { candidateOf, textCandidate } from '../../../bench/quality/candidate.ts';
import { figuresOf, TEXT_MEASURES, truthAt } from '../../../bench/quality/figures.ts';
import { call, conversation, said, user } from './session.ts';

const lines = Array.from(
  { length: 30 },
  (_, index) => `the measured value of station number ${index} is within its limits today`,
);
const rule = 'Always answer with the units of every figure when I ask about stations';
const covered = conversation(
  user(rule),
  said(lines.slice(0, 15).join('\n')),
  call('Bash', { command: 'make report' }, 'Exit code 2\nreport.py:7: unitOf is not defined', true),
  call(
    'Edit',
    { file_path: 'src/report.py', old_string: 'pass', new_string: 'unitOf = len' },
    'ok',
  ),
  call('Bash', { command: 'make report' }, `fixed\n${lines.slice(15).join('\n')}`),
  user('Now draw the chart of all stations into one file'),
);
const later = conversation(
  call('Read', { file_path: 'src/report.py' }, 'unitOf = len'),
  said('unitOf decides what chart.py draws.'),
);
const probes = [
  { type: 'instruction_following', question: '', rule, statements: [] },
  { type: 'information_extraction', question: '', rule: '', statements: [rule] },
];
const truth = truthAt(covered, later, probes, 1);

describe('every measure', () => {
  it('gives 1 for a context that holds everything', () => {
    const figures = figuresOf(truth, candidateOf(covered.passages));
    for (const measure of TEXT_MEASURES) {
      const { found, of } = figures[measure];
      expect.soft(of, measure).toBeGreaterThan(0);
      expect.soft(found, measure).toBe(of);
    }
  });

  it('gives 0 for a context that holds nothing', () => {
    const figures = figuresOf(truth, textCandidate(''));
    for (const measure of TEXT_MEASURES) {
      const { found, of } = figures[measure];
      expect.soft(found, measure).toBe(0);
      // Of no messages at all there are none in order.
      if (measure !== 'in_order') expect.soft(of, measure).toBeGreaterThan(0);
    }
  });
});
