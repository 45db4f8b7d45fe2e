import { labOf } from '../lab.ts';

export const { openLab, appendTo } = labOf('claude-code');
