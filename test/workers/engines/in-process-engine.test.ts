import { InProcessEngine } from '../../../src/workers/engines/in-process-engine.ts';
import { jobEngineContract } from '../../contracts/job-engine.ts';

jobEngineContract('in-process', (options) => new InProcessEngine(options));
