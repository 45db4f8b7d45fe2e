import { InProcessEngine } from '../../src/workers/in-process-engine.ts';
import { jobEngineContract } from '../contracts/job-engine.ts';

jobEngineContract('in-process', (options) => new InProcessEngine(options));
