import type { OfferedTool } from '../../domain/gateway/recall/recall-protocol.ts';
import type { CreatePorts } from '../create-session.ts';
import type { OpaqueContent } from '../opaque-content.ts';
import type { Ports } from '../ports/ports.ts';
import type { SyncPorts } from '../synced.ts';
import type { KnownHistories } from './known-histories.ts';

/** What planning a turn takes; the service and its threads have it. */
export type PlanDeps = CreatePorts &
  SyncPorts &
  Pick<Ports, 'summarize'> & { opaque: OpaqueContent; histories: KnownHistories };

/** Our tools as recall inside the gateway adds them to requests. */
export type Offering = { offered: readonly OfferedTool[] };
