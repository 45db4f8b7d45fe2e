// What the inspector serves beside its pages lies next to the code: the compiler leaves it out.
import { cpSync } from 'node:fs';

const assets = (folder) => new URL(`../${folder}/api/pages/assets`, import.meta.url);
cpSync(assets('src'), assets('dist'), { recursive: true });
