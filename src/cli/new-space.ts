import { setFlagsFromString } from 'node:v8';

/*
 * What V8 keeps new objects in grows while a program is loaded, to some 30 MB that a service at rest never
 * needs again and V8 never gives back. It is held small until the service has started.
 */

/** New objects get no more room than they have. */
export function holdNewSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** They get more where they need it, as by default. */
export function releaseNewSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
