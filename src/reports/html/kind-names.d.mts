import type { EvidenceKind } from '../../contract/world/evidence.js';

export declare const kindNames: { readonly [Kind in EvidenceKind]: string };
